using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Etl.Runner;

/// <summary>The documents that the last run of the transform over a document has loaded. Immutable.</summary>
/// <param name="DocumentId">The document.</param>
/// <param name="Through">
/// The position of the snapshot that the run used. The messages reflect all changes up to it.
/// </param>
/// <param name="Loaded">Ids in upper case; empty if the document is forgotten.</param>
internal sealed record LoadedBy(string DocumentId, long Through, IReadOnlySet<string> Loaded)
{
    private static readonly IReadOnlySet<string> None = new HashSet<string>();

    /// <summary>The value for a document that is gone or that no run has processed.</summary>
    public static LoadedBy Nothing(string documentId) => new(documentId, 0, None);

    /// <summary>Reads what <see cref="ToBytes"/> wrote.</summary>
    public static LoadedBy Parse(string documentId, byte[] bytes) =>
        new(
            documentId,
            BinaryPrimitives.ReadInt64LittleEndian(bytes),
            Encoding.UTF8.GetString(bytes.AsSpan(sizeof(long))).Split('\0').ToHashSet(StringComparer.Ordinal)
        );

    /// <summary>The stored form: the position, then the ids separated by zero characters.</summary>
    public byte[] ToBytes()
    {
        var ids = string.Join('\0', Loaded.Order(StringComparer.Ordinal));
        var bytes = new byte[sizeof(long) + Encoding.UTF8.GetByteCount(ids)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, Through);
        Encoding.UTF8.GetBytes(ids, bytes.AsSpan(sizeof(long)));
        return bytes;
    }
}
