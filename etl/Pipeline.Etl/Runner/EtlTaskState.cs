namespace Pipeline.Etl.Runner;

/// <summary>What a task is doing.</summary>
public enum EtlTaskState
{
    /// <summary>It is not started, or is connecting for the first time.</summary>
    Starting,

    /// <summary>It is sending, or has changes to send.</summary>
    Running,

    /// <summary>It has sent everything and waits for changes.</summary>
    Idle,

    /// <summary>The target cannot accept messages now; the task waits and retries.</summary>
    Retrying,

    /// <summary>An error occurred that a retry is unlikely to fix; the task retries at long intervals.</summary>
    Failed,

    /// <summary>It was stopped.</summary>
    Stopped,

    /// <summary>It waits for a person to decide where it resumes: <c>pipeline etl resume</c>.</summary>
    Blocked,
}
