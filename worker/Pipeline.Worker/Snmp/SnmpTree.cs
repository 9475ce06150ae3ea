namespace Pipeline.Worker.Snmp;

/// <summary>The values of one moment, in the order of their identifiers.</summary>
internal sealed class SnmpTree
{
    private readonly SnmpValue[] _values;

    /// <summary>Makes a tree of values in any order.</summary>
    public SnmpTree(IEnumerable<SnmpValue> values)
    {
        _values = [.. values];
        Array.Sort(_values, (a, b) => a.Id.CompareWith(b.Id));
    }

    /// <summary>The value of an identifier; <see langword="null"/> if it has none.</summary>
    public SnmpValue? Find(ObjectId id) =>
        FirstFrom(id) is var place && place < _values.Length && _values[place].Id.CompareWith(id) == 0
            ? _values[place]
            : null;

    /// <summary>The value with the next identifier; <see langword="null"/> after the last.</summary>
    public SnmpValue? After(ObjectId id)
    {
        var place = FirstFrom(id);
        if (place < _values.Length && _values[place].Id.CompareWith(id) == 0)
            place++;
        return place < _values.Length ? _values[place] : null;
    }

    /// <summary>The place of the first value whose identifier does not come before this one.</summary>
    private int FirstFrom(ObjectId id)
    {
        var (low, high) = (0, _values.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (_values[middle].Id.CompareWith(id) < 0)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }
}
