namespace Pipeline.Documents;

/// <summary>A text cannot be a document's id.</summary>
public sealed class InvalidDocumentIdException : ArgumentException
{
    /// <summary>Makes the error.</summary>
    /// <param name="id">The text.</param>
    /// <param name="reason">The problem, as a clause.</param>
    public InvalidDocumentIdException(string id, string reason)
        : base($"'{DocumentKeys.Printable(id)}' cannot be a document id: {reason}.")
    {
        Id = id;
        Reason = reason;
    }

    /// <summary>The text.</summary>
    public string Id { get; }

    /// <summary>The problem, as a clause.</summary>
    public string Reason { get; }
}
