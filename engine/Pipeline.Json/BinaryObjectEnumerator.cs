namespace Pipeline.Json;

/// <summary>Goes through the properties of an object; made by <see cref="BinaryValue.EnumerateObject"/>.</summary>
public struct BinaryObjectEnumerator
{
    private readonly ReadOnlyMemory<byte> _data;
    private readonly int _ids;
    private readonly int _count;
    private readonly int _idWidth;
    private readonly int _width;
    private readonly int _owner;
    private int _next;

    internal BinaryObjectEnumerator(ReadOnlyMemory<byte> data, int ids, int count, int idWidth, int width, int owner)
    {
        _data = data;
        _ids = ids;
        _count = count;
        _idWidth = idWidth;
        _width = width;
        _owner = owner;
    }

    /// <summary>The property that the last <see cref="MoveNext"/> came to.</summary>
    public BinaryProperty Current { get; private set; }

    /// <summary>Goes to the next property.</summary>
    /// <returns><see langword="false"/> past the last.</returns>
    public bool MoveNext()
    {
        if (_next >= _count)
            return false;
        var data = _data.Span;
        var id =
            _idWidth == 1
                ? BinaryLayout.Tag(data, _ids + _next)
                : (int)BinaryLayout.ReadWidth(data, _ids + _next * _idWidth, _idWidth);
        var offset = BinaryLayout.CheckedOffset(data, _ids + _count * _idWidth + _next * _width, _width, _owner);
        _next++;
        Current = new BinaryProperty(_data, id, _width, new BinaryValue(_data, offset));
        return true;
    }

    /// <summary>Itself, for <c>foreach</c>.</summary>
    /// <returns>A copy of this enumerator.</returns>
    public readonly BinaryObjectEnumerator GetEnumerator() => this;
}
