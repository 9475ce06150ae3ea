namespace Pipeline.Database.Scripts;

/// <summary>An attachment of the document in hand, as a script gets it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="ContentType">Its content type.</param>
/// <param name="Hash">The hash of its content, in Base64.</param>
/// <param name="Content">Its content.</param>
public sealed record ScriptAttachment(string Name, string ContentType, string Hash, ReadOnlyMemory<byte> Content)
{
    /// <summary>Reads an attachment whole; <see langword="null"/> where there is none.</summary>
    /// <param name="snapshot">Where from.</param>
    /// <param name="id">The document's id.</param>
    /// <param name="name">The attachment's name.</param>
    /// <param name="maxBytes">The most bytes that its content may have.</param>
    /// <exception cref="ScriptLimitException">It has more.</exception>
    public static ScriptAttachment? Load(DatabaseSnapshot snapshot, string id, string name, int maxBytes)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        if (!snapshot.TryGetAttachment(id, name, out Attachment? attachment)) return null;
        if (attachment.Size > maxBytes) throw new ScriptLimitException("limits.bodyBytes", maxBytes.ToString(System.Globalization.CultureInfo.InvariantCulture));
        byte[] content = new byte[attachment.Size];
        using Stream stream = snapshot.OpenAttachment(attachment);
        stream.ReadExactly(content);
        return new ScriptAttachment(attachment.Name, attachment.ContentType, attachment.Hash, content);
    }
}
