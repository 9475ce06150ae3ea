using Pipeline.Client.Conventions;
using Pipeline.Client.Sessions;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Events;

/// <summary>
/// Applies events to documents, some hundred in a transaction. The transaction checks the versions of the documents and
/// of the progress, so two runs never count an event twice: the slower one repeats its work from the newer progress.
/// </summary>
internal sealed class ProjectionRunner<TDocument>(ClientContext store, DocumentProjection<TDocument> projection)
    where TDocument : class, new()
{
    private const int MaxAttempts = 20;
    private const int MaxSkipped = 10_000;
    private static readonly SessionOptions Checked = new() { UseOptimisticConcurrency = true };
    private readonly string _progressId = "projections/" + projection.Name;
    private long _stored;

    public async Task<long> RunAsync(bool untilCurrent, CancellationToken cancellationToken)
    {
        long applied = 0,
            after = -1;
        var skipped = 0;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (after < 0)
                after = await ReadProgressAsync(cancellationToken).ConfigureAwait(false);
            var rows = await store.Transport.ReadEventsAsync(after, cancellationToken).ConfigureAwait(false);
            List<StreamEvent> wanted =
            [
                .. rows
                    .Events.Where(r => projection.Handles(r.Name) && !r.IsKeyDestroyed)
                    .Select(r => new StreamEvent(r, store.Options.Serializer)),
            ];
            skipped = wanted.Count > 0 ? 0 : skipped + rows.Events.Count;
            if (wanted.Count > 0 || skipped > MaxSkipped)
            {
                if (!await StoreAsync(wanted, rows.Through, cancellationToken).ConfigureAwait(false))
                {
                    after = -1;
                    continue;
                }

                (applied, skipped) = (applied + wanted.Count, 0);
            }

            after = rows.Through;
            if (rows.HasMore)
                continue;
            if (untilCurrent)
                return applied;
            await store.Transport.WaitForChangeAsync(after, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Stores what events make of documents; false if the progress is another's by now.</summary>
    private async Task<bool> StoreAsync(List<StreamEvent> events, long through, CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            IDocumentSession session = new DocumentSession(store, Checked);
            await using var _ = session.ConfigureAwait(false);
            var progress = await session
                .LoadAsync<ProjectionProgress>(_progressId, cancellationToken)
                .ConfigureAwait(false);
            if ((progress?.Position ?? 0) != _stored)
                return false;
            if (progress is null)
                session.Store(progress = new ProjectionProgress(), _progressId);
            progress.Position = through;
            await ApplyAsync(session, events, cancellationToken).ConfigureAwait(false);
            try
            {
                await session.SaveChangesAsync(cancellationToken).ConfigureAwait(false);
                _stored = through;
                return true;
            }
            catch (ConcurrencyException) when (attempt < MaxAttempts)
            {
                // Somebody changed a document or the progress: both are read again.
            }
        }
    }

    private async Task ApplyAsync(
        IDocumentSession session,
        List<StreamEvent> events,
        CancellationToken cancellationToken
    )
    {
        var ids = events.ConvertAll(projection.DocumentOf);
        var known = await session
            .LoadAsync<TDocument>(ids.OfType<string>().Distinct(StringComparer.OrdinalIgnoreCase), cancellationToken)
            .ConfigureAwait(false);
        var now = new Dictionary<string, TDocument?>(known, StringComparer.OrdinalIgnoreCase);
        for (var i = 0; i < events.Count; i++)
        {
            if (ids[i] is { } id)
                now[id] = projection.Apply(now[id], events[i]);
        }

        foreach (var (id, document) in now)
        {
            var stored = known[id];
            if (ReferenceEquals(stored, document))
                continue;
            var version = stored is null ? null : session.Advanced.GetChangeVector(stored);
            if (document is null)
            {
                session.Delete(stored!);
                continue;
            }

            if (stored is not null)
                session.Advanced.Evict(stored);
            session.Store(document, id, version);
        }
    }

    private async Task<long> ReadProgressAsync(CancellationToken cancellationToken)
    {
        var session = new DocumentSession(store, Checked);
        await using var _ = session.ConfigureAwait(false);
        var progress = await session
            .LoadAsync<ProjectionProgress>(_progressId, cancellationToken)
            .ConfigureAwait(false);
        return _stored = progress?.Position ?? 0;
    }
}
