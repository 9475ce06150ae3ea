using System.Text;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>Record keys as UTF-8. Not thread-safe.</summary>
internal sealed class KafkaKeys
{
    private readonly ExactBytes _keys = new();
    private string? _last;
    private byte[]? _bytes;

    /// <summary>The key's bytes. Caches the last key, because the messages of one document often share it.</summary>
    internal byte[]? Encode(string? key)
    {
        if (key is null)
            return null;
        if (key != _last)
            (_last, _bytes) = (key, _keys.Encode(key));
        return _bytes;
    }

    internal static int Bytes(string? key) => key is null ? 0 : Encoding.UTF8.GetByteCount(key);
}
