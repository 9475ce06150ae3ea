using System.Globalization;

namespace Pipeline.Cluster;

/// <summary>
/// A copy cannot be completed, because more journal was written during it than the node keeps for others.
/// </summary>
/// <param name="path">The store.</param>
/// <param name="limit">How many bytes of journal the store keeps.</param>
/// <param name="inner">The cause.</param>
internal sealed class CopyOverrunException(string path, long limit, Exception? inner = null)
    : IOException(
        string.Create(
            CultureInfo.InvariantCulture,
            $"{path}: more than {limit} bytes of journal were written during the copy (database.keptJournalBytes), so it cannot be completed. Raise the limit at the node that gives the copy, or fill the other node while fewer writes arrive."
        ),
        inner
    )
{
    /// <summary>How many bytes of journal the store keeps.</summary>
    public long Limit { get; } = limit;
}
