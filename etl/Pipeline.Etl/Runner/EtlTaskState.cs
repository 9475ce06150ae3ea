namespace Pipeline.Etl.Runner;

/// <summary>What a task is doing.</summary>
public enum EtlTaskState
{
    /// <summary>It is not started, or is connecting for the first time.</summary>
    Starting,

    /// <summary>It is sending, or has changes before it.</summary>
    Running,

    /// <summary>It has sent everything and waits for changes.</summary>
    Idle,

    /// <summary>The target cannot take messages now; the task waits and tries again.</summary>
    Retrying,

    /// <summary>An error that another try will hardly mend; the task tries again, slowly.</summary>
    Failed,

    /// <summary>It was stopped.</summary>
    Stopped,

    /// <summary>It waits for a person to decide where it goes on: <c>pipeline etl resume</c>.</summary>
    Blocked,
}
