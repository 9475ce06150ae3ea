namespace Pipeline.Indexing;

/// <summary>The index has as many fields as it may have.</summary>
public sealed class TooManyFieldsException : Exception
{
    /// <summary>Names the field that found no room, and the limit.</summary>
    public TooManyFieldsException(string field, int limit)
        : base(
            $"The field '{field}' would be one more than the {limit} that an index may have ({nameof(IndexOptions)}.{nameof(IndexOptions.MaxFields)}). Index fewer names, or raise the limit."
        )
    {
        Field = field;
        Limit = limit;
    }

    /// <summary>The field.</summary>
    public string Field { get; }

    /// <summary>The most fields.</summary>
    public int Limit { get; }
}
