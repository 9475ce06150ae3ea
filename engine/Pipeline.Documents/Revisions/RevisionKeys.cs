namespace Pipeline.Documents;

/// <summary>
/// Keys of the tree <c>revision-ids</c>: the id in lower case, a zero byte, which no id holds, the position.
/// </summary>
internal static class RevisionKeys
{
    internal const int TailBytes = 1 + DocumentKeys.PositionBytes;
    internal const int MaxBytes = DocumentKeys.MaxKeyBytes + TailBytes;

    internal static int Write(Span<byte> target, ReadOnlySpan<byte> idKey, long position)
    {
        idKey.CopyTo(target);
        target[idKey.Length] = 0;
        DocumentKeys.WritePosition(target[(idKey.Length + 1)..], position);
        return idKey.Length + TailBytes;
    }

    internal static bool IsOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> idKey) =>
        key.Length == idKey.Length + TailBytes && key[idKey.Length] == 0 && key.StartsWith(idKey);

    internal static long Position(ReadOnlySpan<byte> key) =>
        DocumentKeys.ReadPosition(key[^DocumentKeys.PositionBytes..]);

    internal static ReadOnlySpan<byte> IdKey(ReadOnlySpan<byte> key) => key[..^TailBytes];
}
