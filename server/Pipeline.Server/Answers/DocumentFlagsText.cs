using System.Text;
using Pipeline.Documents;

namespace Pipeline.Server.Answers;

/// <summary>Writes <see cref="DocumentFlags"/>.</summary>
internal static class DocumentFlagsText
{
    /// <summary>The property after a comma; empty without flags.</summary>
    public static byte[] Property(Document document, DocumentFlags flags)
    {
        if (document.Metadata.TryGetProperty("@attachments"u8, out _))
            flags |= DocumentFlags.HasAttachments;
        return flags == DocumentFlags.None ? [] : Encoding.ASCII.GetBytes($",\"@flags\":\"{flags}\"");
    }
}
