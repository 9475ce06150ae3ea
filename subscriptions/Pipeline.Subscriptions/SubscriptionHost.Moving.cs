namespace Pipeline.Subscriptions;

/// <content>Pauses, resumes and moves subscriptions, and retries parked changes.</content>
public sealed partial class SubscriptionHost
{
    /// <summary>
    /// Pauses delivery; workers are dropped with <see cref="SubscriptionProblem.Paused"/>. Nothing happens to one that
    /// is paused.
    /// </summary>
    public Task PauseAsync(string name, CancellationToken ct = default) =>
        IsPaused(name)
            ? Task.CompletedTask
            : ReplaceAsync(
                name,
                SubscriptionProblem.Paused,
                SubscriptionEventKind.Paused,
                "was paused",
                d => d with { IsPaused = true },
                null,
                ct
            );

    /// <summary>Resumes a subscription that is paused or failed. Nothing happens to one that runs.</summary>
    public Task ResumeAsync(string name, CancellationToken ct = default) =>
        Runs(name)
            ? Task.CompletedTask
            : ReplaceAsync(
                name,
                SubscriptionProblem.Changed,
                SubscriptionEventKind.Resumed,
                "was resumed",
                d => d with { IsPaused = false },
                null,
                ct
            );

    /// <summary>
    /// Sets the position. Workers are dropped with <see cref="SubscriptionProblem.Moved"/>; held keys and changes
    /// settled ahead are forgotten.
    /// </summary>
    public Task MoveAsync(string name, SubscriptionStart start, CancellationToken ct = default) =>
        ReplaceAsync(
            name,
            SubscriptionProblem.Moved,
            SubscriptionEventKind.Moved,
            "was moved",
            d => d,
            _ => SubscriptionCheckpoint.At(start.Resolve(_database.LastPosition)),
            ct
        );

    /// <summary>
    /// Delivers a parked change again in the document's present state, and releases its key. The dead letter is
    /// removed. Workers are dropped with
    /// <see cref="SubscriptionProblem.Moved"/>.
    /// </summary>
    /// <param name="name">The subscription.</param>
    /// <param name="position">The position of the parked change.</param>
    /// <param name="ct">Stops waiting.</param>
    /// <exception cref="SubscriptionException">There is no such subscription or dead letter.</exception>
    public async Task RetryParkedAsync(string name, long position, CancellationToken ct = default)
    {
        var letter = DeadLetter.IdOf(name, position);
        string documentId;
        using (var snapshot = _database.OpenSnapshot())
        {
            if (!snapshot.TryGet(letter, out var document))
            {
                throw new SubscriptionException(
                    name,
                    SubscriptionProblem.NotFound,
                    $"There is no dead letter '{letter}'."
                );
            }

            documentId = document.Body.Root["DocumentId"].GetString() ?? "";
        }

        await ReplaceAsync(
                name,
                SubscriptionProblem.Moved,
                SubscriptionEventKind.Moved,
                "gives a parked change again",
                d => d,
                c =>
                    c with
                    {
                        Again = [.. c.Again.Append(position).Distinct().Order()],
                        Held = [.. c.Held.Where(k => !k.Equals(documentId, StringComparison.OrdinalIgnoreCase))],
                    },
                ct
            )
            .ConfigureAwait(false);
        await _database.DeleteAsync(letter, ct: ct).ConfigureAwait(false);
    }
}
