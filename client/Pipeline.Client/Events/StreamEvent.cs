using System.Text.Json;
using Pipeline.Client.Transport;

namespace Pipeline.Client;

/// <summary>A stored event. Immutable and thread-safe.</summary>
public sealed class StreamEvent
{
    private readonly EventRow _row;
    private readonly JsonSerializerOptions _options;

    internal StreamEvent(EventRow row, JsonSerializerOptions options) => (_row, _options) = (row, options);

    /// <summary>Its position among all changes of the database.</summary>
    public long Position => _row.Position;

    /// <summary>The stream.</summary>
    public string StreamId => _row.StreamId;

    /// <summary>Its number in the stream, from 1.</summary>
    public long Number => _row.Number;

    /// <summary>When it was stored.</summary>
    public DateTimeOffset Time => _row.Time;

    /// <summary>The name of its class.</summary>
    public string Name => _row.Name;

    /// <summary>Its tags.</summary>
    public IReadOnlyList<string> Tags => _row.Tags;

    /// <summary>The event as JSON in UTF-8; empty if its stream's key was destroyed.</summary>
    public ReadOnlyMemory<byte> Json => _row.Payload;

    /// <summary>Whether it can no longer be read, because the key of its stream was destroyed.</summary>
    public bool IsKeyDestroyed => _row.IsKeyDestroyed;

    /// <summary>Whether it is an event of a class.</summary>
    public bool Is<T>() => Name == EventNameAttribute.Of(typeof(T));

    /// <summary>The event as an object.</summary>
    /// <exception cref="JsonException">It does not fit the class, or its key was destroyed.</exception>
    public T Read<T>() => (T)Read(typeof(T));

    internal object Read(Type type) =>
        (Json.IsEmpty ? null : JsonSerializer.Deserialize(Json.Span, _options.GetTypeInfo(type)))
        ?? throw new JsonException(
            IsKeyDestroyed
                ? $"event {Number} of stream '{StreamId}' cannot be read: the key of its stream was destroyed"
                : $"event {Number} of stream '{StreamId}' is empty, so it is no {type.Name}"
        );
}
