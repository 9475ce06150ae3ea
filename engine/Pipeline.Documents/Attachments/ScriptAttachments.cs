using System.Globalization;
using Pipeline.Scripting;

namespace Pipeline.Documents;

/// <summary>Gives attachments to scripts.</summary>
public static class ScriptAttachments
{
    /// <summary>Reads a whole attachment; <see langword="null"/> if there is none.</summary>
    /// <param name="snapshot">The snapshot to read from.</param>
    /// <param name="id">The document's id.</param>
    /// <param name="name">The attachment's name.</param>
    /// <param name="maxBytes">The most bytes that its content may have.</param>
    /// <exception cref="ScriptLimitException">It has more.</exception>
    public static ScriptAttachment? Load(DatabaseSnapshot snapshot, string id, string name, int maxBytes)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        if (!snapshot.TryGetAttachment(id, name, out var attachment))
            return null;
        if (attachment.Size > maxBytes)
            throw new ScriptLimitException("limits.bodyBytes", maxBytes.ToString(CultureInfo.InvariantCulture));
        var content = new byte[attachment.Size];
        using var stream = snapshot.OpenAttachment(attachment);
        stream.ReadExactly(content);
        return new ScriptAttachment(attachment.Name, attachment.ContentType, attachment.Hash, content);
    }
}
