namespace Pipeline.Indexing;

/// <summary>
/// The terms of numbers in columns, remembered for the snapshot where a field has not too many. One thread at a time.
/// </summary>
internal sealed class TermNames(IndexReader reader)
{
    private const int MaxRemembered = 1 << 16;

    private readonly Dictionary<int, byte[]?[]> _fields = [];

    /// <summary>The term of a number.</summary>
    public ReadOnlyMemory<byte> Of(IndexField field, int number)
    {
        if (!_fields.TryGetValue(field.Number, out var names))
            _fields.Add(field.Number, names = new byte[]?[Math.Min(MaxRemembered, reader.TermIdCount(field))]);
        if (number >= names.Length)
            return reader.GetTerm(field, number).ToArray();
        return names[number] ??= reader.GetTerm(field, number).ToArray();
    }
}
