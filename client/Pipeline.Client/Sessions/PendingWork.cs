using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>The session's operations besides saving objects. Most sessions have none.</summary>
internal sealed class PendingWork
{
    /// <summary>What the next save does after it has stored and deleted documents.</summary>
    public List<SaveAction> Actions { get; } = [];

    /// <summary>The requests that the next lazy value sends.</summary>
    public List<LazyOperation> Lazy { get; } = [];
}
