using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Pipeline.Client.Conventions;

namespace Pipeline.Client;

/// <summary>How a store maps classes to documents.</summary>
public sealed record DocumentStoreOptions
{
    private readonly JsonSerializerOptions? _json;
    private JsonSerializerOptions? _serializer;

    /// <summary>
    /// The serializer's options; a source-generated context is given as their
    /// <see cref="JsonSerializerOptions.TypeInfoResolver"/>. Without them, members keep their names and enums are
    /// texts. Without a resolver, members with a private setter or none are loaded, too.
    /// </summary>
    public JsonSerializerOptions? Json
    {
        get => _json;
        init => (_json, _serializer) = (value, value is null ? null : Prepare(value));
    }

    /// <summary>The collection of a class; <see langword="null"/> from it, or none, means the convention.</summary>
    public Func<Type, string?>? FindCollection { get; init; }

    /// <summary>
    /// The name of the member that holds a class's id; <see langword="null"/> from it, or none, means the convention.
    /// </summary>
    public Func<Type, string?>? FindIdMember { get; init; }

    /// <summary>
    /// Makes the id of an object that has none; <see langword="null"/> from it, or none, takes the next number:
    /// <c>orders/1-A</c>.
    /// </summary>
    public Func<object, string?>? MakeId { get; init; }

    /// <summary>
    /// Whether a save fails if a document was changed by others since the session loaded it. A session can choose for
    /// itself.
    /// </summary>
    public bool UseOptimisticConcurrency { get; init; }

    /// <summary>
    /// How long a query waits until its index shows what this store wrote before; zero does not wait.
    /// </summary>
    public TimeSpan QueryWait { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>The prepared options.</summary>
    /// <exception cref="InvalidOperationException">
    /// The program has no reflection for JSON, and no context is given.
    /// </exception>
    internal JsonSerializerOptions Serializer =>
        _serializer ?? Interlocked.CompareExchange(ref _serializer, Prepare(null), null) ?? _serializer!;

    [UnconditionalSuppressMessage(
        "Trimming",
        "IL2026",
        Justification = "Reflection is used only where the program allows it; otherwise the options must have a source-generated context."
    )]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "As above.")]
    private static JsonSerializerOptions Prepare(JsonSerializerOptions? given)
    {
        var options = given is null ? new JsonSerializerOptions() : new JsonSerializerOptions(given);
        if (given is null && JsonSerializer.IsReflectionEnabledByDefault)
            options.Converters.Add(new JsonStringEnumConverter());
        if (options.TypeInfoResolver is null && JsonSerializer.IsReflectionEnabledByDefault)
            options.TypeInfoResolver = new DefaultJsonTypeInfoResolver().WithAddedModifier(MemberSetters.Complete);
        if (options.TypeInfoResolver is null)
        {
            throw new InvalidOperationException(
                "this program has no reflection for JSON; set DocumentStoreOptions.Json to options whose TypeInfoResolver is a source-generated context"
            );
        }

        // A context of the program does not know the classes that the store itself stores.
        options.TypeInfoResolverChain.Add(ProjectionJson.Default);
        options.AllowOutOfOrderMetadataProperties = true;
        options.MakeReadOnly();
        return options;
    }
}
