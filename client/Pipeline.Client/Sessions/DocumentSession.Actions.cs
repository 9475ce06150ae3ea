using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

internal sealed partial class DocumentSession
{
    private PendingWork? _pending;

    public ISessionAttachments Attachments => new SessionAttachments(this);

    public ISessionRevisions Revisions => new SessionRevisions(this);

    public ISessionCompareExchange CompareExchange => new SessionCompareExchange(this);

    /// <summary>Has the next save do something else than to store or delete documents.</summary>
    internal void Add(SaveAction action)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        (_pending ??= new PendingWork()).Actions.Add(action);
    }

    /// <summary>The document of an object: its id, or the object until it has one.</summary>
    internal (string? Id, object? Entity) DocumentOf(object entity) =>
        Known(entity).Id is { } id ? (id, null) : (null, entity);

    /// <summary>The transport, for one request.</summary>
    internal IDocumentTransport Request()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        RequestCount++;
        return store.Transport;
    }

    /// <summary>What the save does after it has stored and deleted documents.</summary>
    /// <exception cref="InvalidOperationException">A document is patched, and its object has changes.</exception>
    private IReadOnlyList<SaveAction> PrepareActions(List<SaveCommand> commands)
    {
        if (_pending is not { Actions: { Count: > 0 } actions })
            return [];
        foreach (var action in actions)
        {
            if (!action.HasId)
                action.Id = Known(action.Entity!).Id!;
            if (
                action is PatchAction
                && commands.Exists(c => string.Equals(c.Id, action.Id, StringComparison.OrdinalIgnoreCase))
            )
            {
                throw new InvalidOperationException(
                    $"the session patches '{action.Id}' and also stores or deletes its object; save one of them first"
                );
            }
        }

        return [.. actions];
    }

    /// <summary>Gives the session's objects the state that the actions left.</summary>
    private void Settle(IReadOnlyList<SaveAction> actions, IReadOnlyList<ActionResult> results)
    {
        for (var i = 0; i < actions.Count; i++)
        {
            var id = actions[i] is AttachmentCopy copy ? copy.ToId : actions[i].Id;
            if (actions[i] is CompareExchangeChange)
                continue;
            _included.Remove(id);
            if (!_byId.TryGetValue(id, out var tracked))
                continue;
            if (actions[i] is not PatchAction)
                tracked.HasVersion(results[i].ChangeVector);
            else if (results[i].Document is not { } document || !tracked.TryRefresh(document, store.Options))
                Forget(tracked);
        }

        _pending!.Actions.Clear();
    }
}
