using System.Globalization;

namespace Pipeline.Documents;

/// <summary>A bulk insert failed: it says how many of the accepted documents are stored.</summary>
public sealed class BulkInsertException : InvalidOperationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="stored">Documents that are durable.</param>
    /// <param name="accepted">Documents that the bulk insert had accepted.</param>
    /// <param name="cause">Why it failed.</param>
    public BulkInsertException(long stored, long accepted, Exception cause)
        : base(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The bulk insert stored {stored:N0} of {accepted:N0} documents, then failed: {cause.Message}"
            ),
            cause
        ) => (Stored, Accepted) = (stored, accepted);

    /// <summary>Documents that are durable.</summary>
    public long Stored { get; }

    /// <summary>Documents that the bulk insert had accepted.</summary>
    public long Accepted { get; }
}
