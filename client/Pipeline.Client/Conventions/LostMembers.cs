using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Pipeline.Client.Conventions;

/// <summary>
/// Finds members that the serializer writes and does not read: the second save of a document would lose their values.
/// Contracts of the store's own resolver have none; see <see cref="MemberSetters"/>.
/// </summary>
internal static class LostMembers
{
    /// <summary>Looks at a class and at all classes that its members hold.</summary>
    /// <exception cref="DocumentModelException">A member would be lost.</exception>
    public static void Refuse(Type type, JsonSerializerOptions options)
    {
        var seen = new HashSet<Type>();
        var open = new Stack<Type>([type]);
        while (open.TryPop(out var next))
        {
            // A class that the context does not know is the serializer's error, with its own message.
            if (!seen.Add(next) || !options.TryGetTypeInfo(next, out var contract))
                continue;
            foreach (var property in contract.Properties.Where(p => p.Get is not null))
            {
                if (Loss(property, contract) is { } loss)
                    throw new DocumentModelException(type, loss);
                Push(property.PropertyType);
            }

            Push(contract.ElementType);
            foreach (var derived in contract.PolymorphismOptions?.DerivedTypes ?? [])
                Push(derived.DerivedType);
        }

        void Push(Type? held)
        {
            if (held is not null)
                open.Push(Nullable.GetUnderlyingType(held) ?? held);
        }
    }

    private static string? Loss(JsonPropertyInfo property, JsonTypeInfo contract)
    {
        if (property is not { Set: null, AssociatedParameter: null, AttributeProvider: PropertyInfo member })
            return null;
        var name = $"'{member.Name}' of {contract.Type.Name} would be stored and not loaded, because";
        if (member.SetMethod is { IsPublic: false })
        {
            return $"{name} its setter is not public and the given resolver does not call it; write 'init', add a parameter to the constructor, or mark it with [JsonIgnore]";
        }

        if (member.SetMethod is not null || !IsKept(member) || !IsFilled(property) || IsPopulated(property, contract))
            return null;
        // The serializer populates no members of a class whose constructor takes values.
        var populate = contract.Properties.Any(p => p.AssociatedParameter is not null)
            ? ""
            : ", mark it with [JsonObjectCreationHandling(JsonObjectCreationHandling.Populate)]";
        return $"{name} it has no setter; write 'init'{populate}, or mark it with [JsonIgnore]";
    }

    /// <summary>Whether the object holds the value; a computed property has nothing to lose.</summary>
    private static bool IsKept(PropertyInfo member) =>
        member.GetMethod?.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false) == true;

    /// <summary>Whether its value changes although it is never set.</summary>
    private static bool IsFilled(JsonPropertyInfo property) =>
        property.Options.TryGetTypeInfo(property.PropertyType, out var value)
        && value.Kind is JsonTypeInfoKind.Enumerable or JsonTypeInfoKind.Dictionary;

    private static bool IsPopulated(JsonPropertyInfo property, JsonTypeInfo contract) =>
        (
            property.ObjectCreationHandling
            ?? contract.PreferredPropertyObjectCreationHandling
            ?? property.Options.PreferredObjectCreationHandling
        ) == JsonObjectCreationHandling.Populate;
}
