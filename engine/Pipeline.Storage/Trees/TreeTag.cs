using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// Sixteen bits of a tree's name, stored in the header of each of its pages. Only salvage reads them, when a parent
/// page is lost.
/// </summary>
internal static class TreeTag
{
    /// <summary>The two halves of the CRC-32C of the name's UTF-8, xored; never 0.</summary>
    public static ushort Of(string name)
    {
        Span<byte> utf8 = stackalloc byte[TreePage.MaxKeyLength];
        var crc = Crc32C.Compute(0, utf8[..Encoding.UTF8.GetBytes(name, utf8)]);
        return (ushort)Math.Max(1, (crc ^ (crc >> 16)) & 0xFFFF);
    }
}
