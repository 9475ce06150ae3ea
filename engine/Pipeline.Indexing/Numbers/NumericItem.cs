namespace Pipeline.Indexing;

/// <summary>A number and the entry that has it: what the numeric index keeps in order.</summary>
internal readonly record struct NumericItem(NumericKey Key, int Entry) : IComparable<NumericItem>
{
    public int CompareTo(NumericItem other)
    {
        var key = Key.CompareTo(other.Key);
        return key != 0 ? key : Entry.CompareTo(other.Entry);
    }
}
