using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Pipeline.Documents.Events;

/// <summary>The ids of documents that show events.</summary>
public static class EventDocumentId
{
    private const string Prefix = "events/";
    private const int NumberBytes = 20;
    private const int MaxStreamBytes = DocumentKeys.MaxIdBytes - 64 - NumberBytes - 16;

    /// <summary>
    /// <c>events/STREAM/NUMBER</c>, the number with 19 digits. Characters of a stream's id that a document's id cannot
    /// hold are written <c>%XX</c>; an id that is too long ends in a hash. If ids of streams differ only in case, later
    /// ones are preceded by their number and <c>~</c>.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="sequence">The event's number in it.</param>
    public static string Of(string streamId, long sequence)
    {
        ArgumentNullException.ThrowIfNull(streamId);
        var name = IsPlain(streamId) ? streamId : Escape(streamId);
        return string.Create(CultureInfo.InvariantCulture, $"{Prefix}{name}/{sequence:D19}");
    }

    private static bool IsPlain(string text)
    {
        if (text.Length > MaxStreamBytes / 3)
            return false;
        foreach (var c in text)
        {
            if (char.IsControl(c) || char.IsSurrogate(c))
                return false;
        }

        return true;
    }

    private static string Escape(string text)
    {
        var name = new StringBuilder();
        foreach (var b in Encoding.UTF8.GetBytes(text))
        {
            if (b is > 32 and < 127 and not (byte)'%')
                name.Append((char)b);
            else
                name.Append(CultureInfo.InvariantCulture, $"%{b:X2}");
        }

        if (name.Length <= MaxStreamBytes)
            return name.ToString();
        name.Length = MaxStreamBytes;
        return name.Append('~')
            .Append(Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 16)))
            .ToString();
    }
}
