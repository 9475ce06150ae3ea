namespace Pipeline.Documents;

/// <summary>A text cannot be a collection's name, or there are too many collections already.</summary>
public sealed class InvalidCollectionException : ArgumentException
{
    /// <summary>Makes the error.</summary>
    /// <param name="collection">The name.</param>
    /// <param name="reason">The problem, as a clause.</param>
    public InvalidCollectionException(string collection, string reason)
        : base($"'{DocumentKeys.Printable(collection)}' cannot be a collection: {reason}.")
    {
        Collection = collection;
        Reason = reason;
    }

    /// <summary>The name.</summary>
    public string Collection { get; }

    /// <summary>The problem, as a clause.</summary>
    public string Reason { get; }
}
