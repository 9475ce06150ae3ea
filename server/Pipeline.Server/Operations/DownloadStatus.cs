namespace Pipeline.Server.Operations;

/// <summary>The state of a download.</summary>
internal enum DownloadStatus
{
    /// <summary>No request has begun it.</summary>
    Waiting,

    /// <summary>It is being sent.</summary>
    Running,

    /// <summary>All of it is sent.</summary>
    Completed,

    /// <summary>The client left, or someone cancelled it.</summary>
    Canceled,

    /// <summary>It failed.</summary>
    Faulted,
}
