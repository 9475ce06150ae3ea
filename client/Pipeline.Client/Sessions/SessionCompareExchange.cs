using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Pipeline.Client.Documents;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>
/// The compare-exchange values of a session. They are stored as <c>{ "Object": value }</c>, as other clients store
/// them.
/// </summary>
internal sealed class SessionCompareExchange(DocumentSession session) : ISessionCompareExchange
{
    public async ValueTask<CompareExchangeItem<T>?> GetAsync<T>(
        string key,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        return await session.Request().CompareExchangeAsync(key, cancellationToken).ConfigureAwait(false) is { } data
            ? Read<T>(data)
            : null;
    }

    public async ValueTask<IReadOnlyList<CompareExchangeItem<T>>> ListAsync<T>(
        string prefix,
        int skip = 0,
        int take = 25,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(prefix);
        ArgumentOutOfRangeException.ThrowIfNegative(skip);
        ArgumentOutOfRangeException.ThrowIfNegative(take);
        return
        [
            .. (
                await session
                    .Request()
                    .ListCompareExchangeAsync(prefix, skip, take, cancellationToken)
                    .ConfigureAwait(false)
            ).Select(Read<T>),
        ];
    }

    public void Put<T>(string key, T value, long expectedIndex = 0)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        ArgumentOutOfRangeException.ThrowIfNegative(expectedIndex);
        var target = new ArrayBufferWriter<byte>();
        using (
            var json = new Utf8JsonWriter(target, new JsonWriterOptions { Encoder = DocumentMembers.Relaxed.Encoder })
        )
        {
            json.WriteStartObject();
            json.WritePropertyName("Object"u8);
            JsonSerializer.Serialize(json, value, Form<T>());
            json.WriteEndObject();
        }

        session.Add(new CompareExchangeChange(key, target.WrittenMemory, expectedIndex));
    }

    public void Delete(string key, long expectedIndex)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        ArgumentOutOfRangeException.ThrowIfNegative(expectedIndex);
        session.Add(new CompareExchangeChange(key, default, expectedIndex));
    }

    private JsonTypeInfo<T> Form<T>() => (JsonTypeInfo<T>)session.Store.Options.Serializer.GetTypeInfo(typeof(T));

    private CompareExchangeItem<T> Read<T>(CompareExchangeData data)
    {
        using var json = JsonDocument.Parse(data.Json);
        var value =
            json.RootElement.ValueKind == JsonValueKind.Object
            && json.RootElement.TryGetProperty("Object"u8, out var kept)
                ? kept
                : json.RootElement;
        return new CompareExchangeItem<T>(data.Key, data.Index, value.Deserialize(Form<T>())!);
    }
}
