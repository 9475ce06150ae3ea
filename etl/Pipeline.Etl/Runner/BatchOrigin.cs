namespace Pipeline.Etl.Runner;

/// <summary>Where a batch's changes come from.</summary>
internal enum BatchOrigin
{
    /// <summary>The change feed after the task's position.</summary>
    Feed,

    /// <summary>Dead letters that are retried.</summary>
    Letters,

    /// <summary>Changes before the position that a replay resends.</summary>
    Replay,
}
