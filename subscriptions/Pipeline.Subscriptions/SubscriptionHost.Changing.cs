using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <content>
/// Creating, changing, pausing, moving and deleting. One change at a time; each is durable when it completes.
/// </content>
public sealed partial class SubscriptionHost
{
    /// <summary>Creates a subscription; durable when it completes.</summary>
    /// <exception cref="SubscriptionException">
    /// The name is taken, the definition is invalid, or there are
    /// <see cref="SubscriptionHostOptions.MaxSubscriptions"/>.
    /// </exception>
    public async Task CreateAsync(
        SubscriptionDefinition definition,
        SubscriptionStart start = default,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(definition);
        Check(definition, ct);
        await ChangeAsync(
                async () =>
                {
                    lock (_gate)
                    {
                        if (_open.ContainsKey(definition.Name))
                        {
                            throw new SubscriptionException(
                                definition.Name,
                                SubscriptionProblem.Exists,
                                $"There is a subscription '{definition.Name}' already."
                            );
                        }

                        if (_open.Count >= _options.MaxSubscriptions)
                        {
                            throw new SubscriptionException(
                                definition.Name,
                                SubscriptionProblem.Invalid,
                                $"The subscription '{definition.Name}' cannot be created: a database may have {_options.MaxSubscriptions} subscriptions ({nameof(SubscriptionHostOptions)}.{nameof(SubscriptionHostOptions.MaxSubscriptions)}). Delete one that no worker uses."
                            );
                        }
                    }

                    var checkpoint = SubscriptionCheckpoint.At(start.Resolve(_database.LastPosition));
                    await SaveAsync(definition, checkpoint, isMoved: true).ConfigureAwait(false);
                    Begin(definition, checkpoint);
                    _events.Add(SubscriptionEventKind.Created, definition.Name, position: checkpoint.Position);
                },
                ct
            )
            .ConfigureAwait(false);
    }

    /// <summary>
    /// Changes a subscription's definition. Its workers are dropped with <see cref="SubscriptionProblem.Changed"/>, its
    /// position stays.
    /// </summary>
    /// <exception cref="SubscriptionException">No subscription has the name, or the definition is invalid.</exception>
    public Task UpdateAsync(SubscriptionDefinition definition, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(definition);
        Check(definition, ct);
        return ReplaceAsync(
            definition.Name,
            SubscriptionProblem.Changed,
            SubscriptionEventKind.Changed,
            "was changed",
            _ => definition,
            null,
            ct
        );
    }

    /// <summary>
    /// Creates a subscription, or changes an existing one whose definition differs; a paused one stays paused.
    /// </summary>
    /// <param name="definition">The definition.</param>
    /// <param name="start">Where it starts if it is created.</param>
    /// <param name="ct">Cancels before anything is done.</param>
    /// <exception cref="SubscriptionException">The definition is invalid.</exception>
    public async Task EnsureAsync(
        SubscriptionDefinition definition,
        SubscriptionStart start = default,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(definition);
        SubscriptionDefinition? known;
        lock (_gate)
            known = _open.TryGetValue(definition.Name, out var subscription) ? subscription.Definition : null;
        if (known is null)
        {
            await CreateAsync(definition, start, ct).ConfigureAwait(false);
        }
        else if (
            !JsonSerializer
                .SerializeToUtf8Bytes(known, Json)
                .AsSpan()
                .SequenceEqual(
                    JsonSerializer.SerializeToUtf8Bytes(
                        definition with
                        {
                            IsPaused = known.IsPaused || definition.IsPaused,
                        },
                        Json
                    )
                )
        )
        {
            await UpdateAsync(definition, ct).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Renames a subscription; its position stays. Its workers are dropped with
    /// <see cref="SubscriptionProblem.Changed"/> and reconnect by the new name.
    /// </summary>
    /// <param name="name">The present name.</param>
    /// <param name="newName">The new name.</param>
    /// <param name="ct">Cancels before anything is done.</param>
    /// <exception cref="SubscriptionException">
    /// No subscription has the name, or the new name is taken or invalid.
    /// </exception>
    public async Task RenameAsync(string name, string newName, CancellationToken ct = default)
    {
        await ChangeAsync(
                async () =>
                {
                    Subscription former;
                    lock (_gate)
                    {
                        former = Find(name);
                        if (_open.ContainsKey(newName))
                        {
                            throw new SubscriptionException(
                                newName,
                                SubscriptionProblem.Exists,
                                $"There is a subscription '{newName}' already."
                            );
                        }
                    }

                    var next = former.Definition with { Name = newName };
                    Check(next, ct);
                    await former
                        .EndAsync(
                            new SubscriptionException(
                                name,
                                SubscriptionProblem.Changed,
                                $"The subscription '{former.Name}' is called '{newName}' now."
                            )
                        )
                        .ConfigureAwait(false);
                    var place = former.Checkpoint();
                    former.Forgive();
                    await former.DisposeAsync().ConfigureAwait(false);
                    lock (_gate)
                        _open.Remove(former.Name);
                    await SaveAsync(next, place, isMoved: false, former.Name).ConfigureAwait(false);
                    Begin(next, place);
                    _events.Add(
                        SubscriptionEventKind.Changed,
                        newName,
                        position: place.Position,
                        detail: $"it was called '{former.Name}' before"
                    );
                },
                ct
            )
            .ConfigureAwait(false);
    }

    /// <summary>Deletes a subscription; workers are dropped with <see cref="SubscriptionProblem.Deleted"/>.</summary>
    /// <returns>Whether it existed.</returns>
    public Task<bool> DeleteAsync(string name, CancellationToken ct = default) =>
        DeleteAsync(name, $"The subscription '{name}' was deleted.", ct);

    private async Task<bool> DeleteAsync(string name, string reason, CancellationToken ct)
    {
        var found = false;
        await ChangeAsync(
                async () =>
                {
                    Subscription? subscription;
                    lock (_gate)
                        found = _open.Remove(name, out subscription);
                    if (subscription is null)
                        return;
                    await subscription
                        .EndAsync(new SubscriptionException(name, SubscriptionProblem.Deleted, reason))
                        .ConfigureAwait(false);
                    subscription.Forgive();
                    await subscription.DisposeAsync().ConfigureAwait(false);
                    var names = JsonSerializer.SerializeToUtf8Bytes(Names());
                    await _database
                        .WriteAsync(
                            transaction =>
                            {
                                Forget(transaction, name);
                                transaction.SetState(NamesKey, names);
                            },
                            CancellationToken.None
                        )
                        .ConfigureAwait(false);
                    _events.Add(SubscriptionEventKind.Deleted, name, detail: reason);
                },
                ct
            )
            .ConfigureAwait(false);
        return found;
    }

    private bool IsPaused(string name)
    {
        lock (_gate)
            return Find(name).Definition.IsPaused;
    }

    private bool Runs(string name)
    {
        Subscription subscription;
        lock (_gate)
            subscription = Find(name);
        return subscription is { Definition.IsPaused: false } && subscription.GetStatus().Error is null;
    }

    private void Check(SubscriptionDefinition definition, CancellationToken ct)
    {
        if (_options.NeedsRevisions)
            Check(_database, definition, ct);
        else
            definition.Validate(ct);
    }

    /// <summary>Checks that a definition is valid for the database.</summary>
    /// <exception cref="SubscriptionException">The definition is invalid.</exception>
    internal static void Check(DocumentDatabase database, SubscriptionDefinition definition, CancellationToken ct)
    {
        definition.Validate(ct);
        var filter = SubscriptionFilter.Compile(definition, ct);
        if (!filter.ReadsVersions)
            return;
        var kept = database.Revisions.Configuration;
        string[] without = [.. (filter.Reads.Collections ?? []).Where(c => kept.Find(c) is not { Enabled: true })];
        if (
            filter.Reads.Collections is null
            && !kept.Collections.Values.Append(kept.Default).Any(p => p is { Enabled: true })
        )
        {
            without = ["any collection"];
        }

        if (without.Length == 0)
            return;
        throw new SubscriptionException(
            definition.Name,
            SubscriptionProblem.Invalid,
            $"The subscription '{definition.Name}' gives versions, and the database keeps none of {string.Join(", ", without)}: say in database.revisions that it does, such as {{ default: {{ keep: 100 }} }}."
        );
    }

    private async Task ReplaceAsync(
        string name,
        SubscriptionProblem problem,
        SubscriptionEventKind kind,
        string what,
        Func<SubscriptionDefinition, SubscriptionDefinition> definition,
        Func<SubscriptionCheckpoint, SubscriptionCheckpoint>? checkpoint,
        CancellationToken ct
    ) =>
        await ChangeAsync(
                async () =>
                {
                    Subscription former;
                    lock (_gate)
                        former = Find(name);
                    var next = definition(former.Definition);
                    await former
                        .EndAsync(new SubscriptionException(name, problem, $"The subscription '{former.Name}' {what}."))
                        .ConfigureAwait(false);
                    var place = former.Checkpoint();
                    former.Forgive();
                    await former.DisposeAsync().ConfigureAwait(false);
                    if (checkpoint is not null)
                        place = checkpoint(place);
                    await SaveAsync(next, place, problem == SubscriptionProblem.Moved).ConfigureAwait(false);
                    Begin(next, place);
                    _events.Add(kind, next.Name, position: place.Position, detail: $"it {what}");
                },
                ct
            )
            .ConfigureAwait(false);

    private Task SaveAsync(
        SubscriptionDefinition definition,
        SubscriptionCheckpoint checkpoint,
        bool isMoved,
        string? formerName = null
    )
    {
        var consumer = ConsumerName(definition.Name);
        var text = JsonSerializer.SerializeToUtf8Bytes(definition, Json);
        var filter = SubscriptionFilter.Compile(definition, CancellationToken.None);
        var names = JsonSerializer.SerializeToUtf8Bytes(
            Names().Append(definition.Name).Distinct(StringComparer.OrdinalIgnoreCase)
        );
        return _database.WriteAsync(
            transaction =>
            {
                var known = transaction.GetConsumer(ConsumerName(formerName ?? definition.Name))?.Since;
                if (formerName is not null)
                    Forget(transaction, formerName);
                transaction.SetState(DefinitionKey(definition.Name), text);
                transaction.SetState(Subscription.CheckpointKey(definition.Name), checkpoint.ToBytes());
                filter.Hold(transaction, Subscription.CheckpointKey(definition.Name), checkpoint);
                transaction.SetState(NamesKey, names);
                var since = isMoved ? null : known;
                transaction.SetConsumer(
                    filter.Reads.ToConsumer(
                        consumer,
                        Subscription.CheckpointKey(definition.Name),
                        since ?? _time.GetUtcNow()
                    )
                );
            },
            CancellationToken.None
        );
    }

    private static void Forget(DocumentTransaction transaction, string name)
    {
        transaction.DeleteState(DefinitionKey(name));
        transaction.DeleteState(Subscription.CheckpointKey(name));
        transaction.ReleaseRevisions(Subscription.CheckpointKey(name));
        transaction.RemoveConsumer(ConsumerName(name));
    }

    private async Task ChangeAsync(Func<Task> change, CancellationToken ct)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_options.OnlyLooks)
            throw OnlyLooks();
        CheckTerm();
        await _change.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            await change().ConfigureAwait(false);
        }
        finally
        {
            _change.Release();
        }
    }
}
