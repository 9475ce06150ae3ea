using System.Buffers;
using System.Text;
using Pipeline.Database.Queries;
using Pipeline.Json;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// Query results as CSV (RFC 4180): a line of names, then a line for each result with its id and the values at paths.
/// Numbers keep the digits of their documents. For one thread.
/// </summary>
/// <param name="columns">
/// The paths of the columns, such as <c>Address.City</c>. A name that has a dot itself is found first.
/// </param>
internal sealed class CsvText(IReadOnlyList<string> columns)
{
    private static readonly SearchValues<byte> Special = SearchValues.Create("\",\r\n"u8);
    private readonly ArrayBufferWriter<byte> _cell = new();

    /// <summary>Writes the line of names.</summary>
    public void WriteHead(IBufferWriter<byte> target)
    {
        target.Write("@id"u8);
        foreach (var column in columns)
        {
            target.Write(","u8);
            WriteCell(target, Encoding.UTF8.GetBytes(column));
        }

        target.Write("\r\n"u8);
    }

    /// <summary>Writes the line of a result.</summary>
    public void WriteLine(IBufferWriter<byte> target, QueryItem item)
    {
        WriteCell(target, Encoding.UTF8.GetBytes(item.Id ?? ""));
        var root = RootOf(item);
        foreach (var column in columns)
        {
            target.Write(","u8);
            WriteValue(target, ValueAt(root, column));
        }

        target.Write("\r\n"u8);
    }

    private BinaryValue RootOf(QueryItem item)
    {
        if (item.Document is { } document)
            return document.Body.Root;
        _cell.ResetWrittenCount();
        item.WriteJson(_cell);
        return BinaryJson.Parse(_cell.WrittenSpan).Root;
    }

    private void WriteValue(IBufferWriter<byte> target, BinaryValue value)
    {
        if (value.IsNullOrMissing)
            return;
        if (value.TryGetUtf8(out var text))
        {
            WriteCell(target, text);
            return;
        }

        _cell.ResetWrittenCount();
        value.WriteTo(_cell);
        WriteCell(target, _cell.WrittenSpan);
    }

    private static BinaryValue ValueAt(BinaryValue value, ReadOnlySpan<char> path)
    {
        if (value.TryGetProperty(path, out var whole))
            return whole;
        for (var dot = path.IndexOf('.'); dot > 0; )
        {
            if (value.TryGetProperty(path[..dot], out var inner))
            {
                var found = ValueAt(inner, path[(dot + 1)..]);
                if (found.Exists)
                    return found;
            }

            var next = path[(dot + 1)..].IndexOf('.');
            dot = next < 0 ? -1 : dot + 1 + next;
        }

        return default;
    }

    private static void WriteCell(IBufferWriter<byte> target, ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty)
            return;
        if (!text.ContainsAny(Special) && text[0] > ' ' && text[^1] > ' ')
        {
            target.Write(text);
            return;
        }

        target.Write("\""u8);
        for (var quote = text.IndexOf((byte)'"'); quote >= 0; quote = text.IndexOf((byte)'"'))
        {
            target.Write(text[..(quote + 1)]);
            target.Write("\""u8);
            text = text[(quote + 1)..];
        }

        target.Write(text);
        target.Write("\""u8);
    }
}
