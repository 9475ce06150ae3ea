using System.Globalization;

namespace Pipeline.Cluster;

/// <summary>A log has records, so no store can begin it. Nothing was changed.</summary>
/// <param name="log">The log's name.</param>
/// <param name="bounds">What it holds.</param>
internal sealed class LogInUseException(string log, LogBounds bounds)
    : SharedLogException(
        log,
        string.Create(
            CultureInfo.InvariantCulture,
            $"{log} is in use: it has {bounds.End:N0} {(bounds.End == 1 ? "record" : "records")}. A database begins an empty log. Choose another one (cluster.log), or delete this one if no node uses it."
        )
    )
{
    /// <summary>What the log holds.</summary>
    public LogBounds Bounds { get; } = bounds;
}

/// <summary>The log did not say whether it has the record that begins it.</summary>
/// <param name="log">The log's name.</param>
/// <param name="cause">What it answered instead.</param>
internal sealed class BeginningUnknownException(string log, Exception? cause)
    : SharedLogException(
        log,
        $"{log} did not confirm its first record{(cause is null ? "" : ": " + cause.Message)}. Run the command again: it continues where this one ended.",
        cause
    );
