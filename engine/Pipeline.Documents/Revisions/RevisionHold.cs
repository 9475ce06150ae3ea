namespace Pipeline.Documents;

/// <summary>Keeps versions from being removed, for a consumer that reads them in order, with its progress.</summary>
/// <param name="Name">Who.</param>
/// <param name="Position">Versions that are newer, and the one before each of these, stay.</param>
/// <param name="Collections">Of which collections; empty for all.</param>
public sealed record RevisionHold(string Name, long Position, IReadOnlyList<string> Collections)
{
    internal static RevisionHold Read(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        var names = System.Text.Encoding.UTF8.GetString(value[DocumentKeys.PositionBytes..]);
        return new RevisionHold(
            System.Text.Encoding.UTF8.GetString(key),
            DocumentKeys.ReadPosition(value),
            names.Length == 0 ? [] : names.Split('\n')
        );
    }

    internal byte[] ToBytes()
    {
        var names = System.Text.Encoding.UTF8.GetBytes(string.Join('\n', Collections));
        var bytes = new byte[DocumentKeys.PositionBytes + names.Length];
        DocumentKeys.WritePosition(bytes, Position);
        names.CopyTo(bytes.AsSpan(DocumentKeys.PositionBytes));
        return bytes;
    }

    internal bool IsOf(string collection) =>
        Collections.Count == 0 || Collections.Contains(collection, StringComparer.OrdinalIgnoreCase);
}
