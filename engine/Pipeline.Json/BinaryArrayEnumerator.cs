namespace Pipeline.Json;

/// <summary>Goes through the elements of an array; made by <see cref="BinaryValue.EnumerateArray"/>.</summary>
public struct BinaryArrayEnumerator
{
    private readonly ReadOnlyMemory<byte> _data;
    private readonly int _offsets;
    private readonly int _count;
    private readonly int _width;
    private readonly int _owner;
    private int _next;

    internal BinaryArrayEnumerator(ReadOnlyMemory<byte> data, int offsets, int count, int width, int owner)
    {
        _data = data;
        _offsets = offsets;
        _count = count;
        _width = width;
        _owner = owner;
    }

    /// <summary>The element that the last <see cref="MoveNext"/> came to.</summary>
    public BinaryValue Current { get; private set; }

    /// <summary>Goes to the next element.</summary>
    /// <returns><see langword="false"/> past the last.</returns>
    public bool MoveNext()
    {
        if (_next >= _count)
            return false;
        Current = new BinaryValue(
            _data,
            BinaryLayout.CheckedOffset(_data.Span, _offsets + _next++ * _width, _width, _owner)
        );
        return true;
    }

    /// <summary>Itself, for <c>foreach</c>.</summary>
    /// <returns>A copy of this enumerator.</returns>
    public readonly BinaryArrayEnumerator GetEnumerator() => this;
}
