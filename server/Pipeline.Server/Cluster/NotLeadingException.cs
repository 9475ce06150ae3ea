namespace Pipeline.Server.Cluster;

/// <summary>A request needs the cluster's leader, and it cannot be passed on now. Nothing was changed.</summary>
/// <param name="message">What happened and what to do.</param>
internal sealed class NotLeadingException(string message) : Exception(message);

/// <summary>The leader ended, or was cut off, while it worked on a request: whether it was carried out is not known.</summary>
/// <param name="message">What happened and what to do.</param>
/// <param name="inner">The cause.</param>
internal sealed class LeaderLostException(string message, Exception? inner) : Exception(message, inner);
