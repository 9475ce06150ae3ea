using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>What a session has to do besides saving objects. Most sessions have none.</summary>
internal sealed class PendingWork
{
    /// <summary>What the next save does after it has stored and deleted documents.</summary>
    public List<SaveAction> Actions { get; } = [];

    /// <summary>What the next lazy value fetches.</summary>
    public List<LazyOperation> Lazy { get; } = [];
}
