using System.Buffers;
using System.Text;

namespace Pipeline.Json;

public readonly partial struct BinaryValue
{
    /// <summary>Writes the value as JSON text without white space. No value writes nothing.</summary>
    /// <param name="target">Where to.</param>
    public void WriteTo(IBufferWriter<byte> target)
    {
        ArgumentNullException.ThrowIfNull(target);
        if (_offset == 0)
            return;
        var writer = new JsonTextWriter(target);
        writer.Value(this);
        writer.Flush();
    }

    /// <summary>The JSON text without white space; empty for no value.</summary>
    /// <returns>A new string.</returns>
    public override string ToString()
    {
        var buffer = new ArrayBufferWriter<byte>();
        WriteTo(buffer);
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    internal ReadOnlyMemory<byte> Data => _data;
}
