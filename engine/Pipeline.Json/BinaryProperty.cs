using System.Text;

namespace Pipeline.Json;

/// <summary>A property of an object: its name and its value, nothing copied.</summary>
public readonly struct BinaryProperty
{
    private readonly ReadOnlyMemory<byte> _data;
    private readonly int _id;
    private readonly int _width;

    internal BinaryProperty(ReadOnlyMemory<byte> data, int id, int width, BinaryValue value)
    {
        _data = data;
        _id = id;
        _width = width;
        Value = value;
    }

    /// <summary>The value.</summary>
    public BinaryValue Value { get; }

    /// <summary>The name's UTF-8 bytes, within the document.</summary>
    public ReadOnlySpan<byte> NameUtf8
    {
        get
        {
            if (_data.IsEmpty)
                return default;
            var data = _data.Span;
            return data[BinaryLayout.NameRange(data, _width, _id)];
        }
    }

    /// <summary>The name as a new string.</summary>
    public string Name => Encoding.UTF8.GetString(NameUtf8);
}
