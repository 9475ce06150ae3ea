using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

internal sealed partial class DocumentSession
{
    public async Task SaveChangesAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        var commands = new List<SaveCommand>();
        var saves = new List<(TrackedDocument Tracked, byte[] Document, byte[] Now)>();
        foreach (var tracked in _byEntity.Values.Where(t => !t.IsDeleted).ToList())
        {
            var id = await IdentifyAsync(tracked, cancellationToken).ConfigureAwait(false);
            var now = tracked.Serialize();
            if (!tracked.HasChanged(now))
                continue;
            var document = tracked.Write(now);
            saves.Add((tracked, document, now));
            commands.Add(new SaveCommand(id, document, Expected(tracked)));
        }

        List<TrackedDocument> deleted = [.. _byEntity.Values.Where(t => t.IsDeleted)];
        commands.AddRange(deleted.Select(t => new SaveCommand(t.Id, null, Expected(t))));
        commands.AddRange(_deletedIds.Select(id => new SaveCommand(id, null, null)));
        var actions = PrepareActions(commands);
        if (commands.Count == 0 && actions.Count == 0)
            return;
        RequestCount++;
        var (results, done) = await store
            .Transport.SaveAsync(commands, actions, cancellationToken)
            .ConfigureAwait(false);
        for (var i = 0; i < saves.Count; i++)
            saves[i].Tracked.Saved(results[i], saves[i].Document, saves[i].Now);
        deleted.ForEach(Forget);
        _deletedIds.Clear();
        if (actions.Count > 0)
            Settle(actions, done);
    }

    private string? Expected(TrackedDocument tracked) =>
        tracked.ExpectedChangeVector ?? (ChecksVersions ? tracked.ChangeVector ?? "" : null);
}
