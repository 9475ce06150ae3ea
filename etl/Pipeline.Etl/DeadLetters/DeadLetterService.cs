using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Database;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// Finds and changes dead letters, in the database of a running worker or in one that no other process has open.
/// Thread-safe.
/// </summary>
/// <remarks>It only writes documents. A task retries its letters with <c>Retry: true</c>, and deleting a letter drops
/// it. Any client can do the same by writing these documents.</remarks>
public sealed class DeadLetterService(DocumentDatabase database)
{
    private const int WritesAtOnce = 500;
    private static readonly JsonSerializerOptions Written = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>The letters of a selection, oldest change first.</summary>
    /// <exception cref="DeadLetterException">A named letter does not exist.</exception>
    /// <exception cref="InvalidOperationException">The query cannot be run.</exception>
    public async Task<IReadOnlyList<DeadLetterView>> FindAsync(
        DeadLetterSelection selection,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(selection);
        HashSet<string>? found = null;
        if (selection.Query is { } query)
        {
            var result = await database
                .QueryAsync(
                    new QueryRequest(query) { Wait = new IndexWait(TimeSpan.FromSeconds(15)) },
                    cancellationToken
                )
                .ConfigureAwait(false);
            if (
                result.Items.Any(i =>
                    i.Document is not { Collection: var c }
                    || !c.Equals(DeadLetter.Collection, StringComparison.OrdinalIgnoreCase)
                )
            )
            {
                throw new DeadLetterException(
                    $"the query returns more than dead letters; begin it with: from {DeadLetter.Collection}"
                );
            }

            found = new HashSet<string>(result.Items.Select(i => i.Id!), StringComparer.OrdinalIgnoreCase);
        }

        using var snapshot = database.OpenSnapshot("dead letters");
        IEnumerable<Document> letters;
        if (selection.Ids.Count > 0)
            letters = selection.Ids.Select(id => Get(snapshot, id));
        else if (found is not null)
            letters = found.Select(snapshot.Find).OfType<Document>();
        else if (selection.Task is { } task)
            letters = snapshot.GetByPrefix(DeadLetterIds.PrefixOf(task));
        else
            letters = selection.All ? snapshot.GetByCollection(DeadLetter.Collection) : [];
        return
        [
            .. letters
                .Select(DeadLetterView.Of)
                .Where(l =>
                    (selection.Task is null || selection.Task.Equals(l.Task, StringComparison.OrdinalIgnoreCase))
                    && found?.Contains(l.Id) != false
                )
                .OrderBy(l => l.Position),
        ];
    }

    /// <summary>The document of one letter.</summary>
    /// <exception cref="DeadLetterException">It does not exist.</exception>
    public Document Get(string id)
    {
        using var snapshot = database.OpenSnapshot("dead letters");
        return Get(snapshot, id);
    }

    /// <summary>
    /// Marks letters for a retry, durably. As soon as their tasks run, they send what their transforms now return.
    /// </summary>
    /// <returns>How many were marked.</returns>
    /// <exception cref="DeadLetterException">One belongs to a subscription. Drop it to release it.</exception>
    public async Task<int> RetryAsync(
        IReadOnlyList<DeadLetterView> letters,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(letters);
        if (letters.FirstOrDefault(l => l.Task is null) is { } other)
        {
            throw new DeadLetterException(
                $"'{other.Id}' belongs to the subscription '{other.Subscription}', which does not retry; select letters of tasks with --task or a query"
            );
        }

        return await WriteAsync(
                letters,
                (transaction, id) => Change(transaction, id, letter => letter["Retry"] = true),
                cancellationToken
            )
            .ConfigureAwait(false);
    }

    /// <summary>Deletes letters permanently and releases the changes that were parked behind them.</summary>
    /// <returns>How many existed.</returns>
    public Task<int> DropAsync(IReadOnlyList<DeadLetterView> letters, CancellationToken cancellationToken = default) =>
        WriteAsync(letters, static (transaction, id) => transaction.Delete(id), cancellationToken);

    /// <summary>
    /// Replaces a letter's input. The next retry runs the transform over this input instead of the document.
    /// </summary>
    /// <param name="id">The letter.</param>
    /// <param name="utf8Json">The document, a JSON object.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="DeadLetterException">
    /// The dead letter does not exist, or the input is not a JSON object.
    /// </exception>
    public async Task EditAsync(string id, ReadOnlyMemory<byte> utf8Json, CancellationToken cancellationToken = default)
    {
        var letter = DeadLetterView.Of(Get(id));
        JsonNode? input;
        try
        {
            input = JsonNode.Parse(utf8Json.Span);
        }
        catch (JsonException e)
        {
            throw new DeadLetterException($"the input is not JSON: {e.Message}", e);
        }

        if (input is not JsonObject)
            throw new DeadLetterException("the input must be a JSON object: the document");
        if (letter.Task is null)
        {
            throw new DeadLetterException(
                $"'{letter.Id}' belongs to a subscription, which does not retry: edit the document itself"
            );
        }

        await WriteAsync(
                [letter],
                (transaction, key) =>
                    Change(
                        transaction,
                        key,
                        document => (document["Document"], document["Edited"]) = (input.DeepClone(), true)
                    ),
                cancellationToken
            )
            .ConfigureAwait(false);
    }

    /// <summary>Waits until marked letters are gone or have failed again.</summary>
    /// <param name="marked">What was marked.</param>
    /// <param name="timeout">The timeout.</param>
    /// <param name="time">The clock.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<RetryOutcome> WaitAsync(
        IReadOnlyList<DeadLetterView> marked,
        TimeSpan timeout,
        TimeProvider time,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(marked);
        using var late = new CancellationTokenSource(timeout, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        while (true)
        {
            var position = database.LastPosition;
            var outcome = Look(marked);
            if (outcome.Pending == 0 || late.IsCancellationRequested)
                return outcome;
            var change = database.WaitForChangeAsync(position, either.Token);
            await change.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
            if (change.IsFaulted)
                await change.ConfigureAwait(false);
        }
    }

    private RetryOutcome Look(IReadOnlyList<DeadLetterView> marked)
    {
        using var snapshot = database.OpenSnapshot("dead letters");
        List<DeadLetterView> there =
        [
            .. marked.Select(l => snapshot.Find(l.Id)).OfType<Document>().Select(DeadLetterView.Of),
        ];
        return new RetryOutcome(
            marked.Count,
            marked.Count - there.Count,
            there.Count(l => l.Retry),
            [.. there.Where(l => !l.Retry)]
        );
    }

    private async Task<int> WriteAsync(
        IReadOnlyList<DeadLetterView> letters,
        Func<DocumentTransaction, string, bool> write,
        CancellationToken cancellationToken
    )
    {
        var count = 0;
        foreach (var part in letters.Chunk(WritesAtOnce))
        {
            count += await database
                .WriteAsync(transaction => part.Count(l => write(transaction, l.Id)), cancellationToken)
                .ConfigureAwait(false);
        }

        return count;
    }

    private static bool Change(DocumentTransaction transaction, string id, Action<JsonObject> change)
    {
        if (!transaction.TryGet(id, out var document))
            return false;
        var buffer = new ArrayBufferWriter<byte>();
        document.WriteJson(buffer);
        var letter = JsonNode.Parse(buffer.WrittenSpan)!.AsObject();
        change(letter);
        transaction.Put(document.Id, JsonSerializer.SerializeToUtf8Bytes(letter, Written), document.ChangeVector);
        return true;
    }

    private static Document Get(DatabaseSnapshot snapshot, string id)
    {
        var full = id.StartsWith(DeadLetterIds.Prefix, StringComparison.OrdinalIgnoreCase)
            ? id
            : DeadLetterIds.Prefix + id;
        if (
            snapshot.TryGet(full, out var document)
            && document.Collection.Equals(DeadLetter.Collection, StringComparison.OrdinalIgnoreCase)
        )
        {
            return document;
        }

        throw new DeadLetterException($"there is no dead letter '{id}'; 'pipeline deadletters list' shows them");
    }
}
