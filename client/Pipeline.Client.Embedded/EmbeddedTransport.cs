using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Pipeline.Client.Queries;
using Pipeline.Client.Transport;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Json;
using Pipeline.Subscriptions;

namespace Pipeline.Client;

/// <summary>Reaches a database in this process.</summary>
/// <param name="database">The database.</param>
/// <param name="subscriptions">Its subscriptions, opened at the first use.</param>
/// <param name="isOwner">Whether it closes both.</param>
internal sealed partial class EmbeddedTransport(
    DocumentDatabase database,
    Lazy<SubscriptionHost> subscriptions,
    bool isOwner
) : IDocumentTransport
{
    private const int SmallestRange = 32;
    private const int LargestRange = 1 << 16;
    private const int SmallestBuffer = 4 << 10;
    private const int LargestBuffer = 1 << 20;

    [ThreadStatic]
    private static ArrayBufferWriter<byte>? t_buffer;

    public ValueTask<DocumentData?> LoadAsync(string id, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var snapshot = database.OpenSnapshot();
        return ValueTask.FromResult(snapshot.TryGet(id, out var document) ? Data(document) : null);
    }

    public async ValueTask<IReadOnlyList<DocumentData>> LoadAsync(
        IReadOnlyList<string> ids,
        IReadOnlyList<string> includes,
        CancellationToken cancellationToken
    )
    {
        if (includes.Count > 0)
            return await LoadWithAsync(ids, includes, cancellationToken).ConfigureAwait(false);
        using var snapshot = database.OpenSnapshot();
        var loaded = new List<DocumentData>(ids.Count);
        foreach (var id in ids)
        {
            if (snapshot.TryGet(id, out var document))
                loaded.Add(Data(document));
        }

        return loaded;
    }

    public async ValueTask<SaveAnswer> SaveAsync(
        IReadOnlyList<SaveCommand> commands,
        IReadOnlyList<SaveAction> actions,
        CancellationToken cancellationToken
    )
    {
        var batch = new DocumentBatch();
        foreach (var command in commands)
        {
            if (command.Json is { } json)
                batch.Put(command.Id, json.Span, command.ExpectedChangeVector);
            else
                batch.Delete(command.Id!, command.ExpectedChangeVector);
        }

        try
        {
            var results =
                actions.Count == 0
                    ? await database.ExecuteAsync(batch, cancellationToken).ConfigureAwait(false)
                    : await ExecuteAsync(batch, actions, cancellationToken).ConfigureAwait(false);
            return new SaveAnswer(
                [
                    .. results
                        .Take(commands.Count)
                        .Select(r => new SavedDocument(r.Put?.Id ?? r.Id, r.Put?.ChangeVector, r.Put?.LastModified)),
                ],
                actions.Count == 0 ? [] : [.. results.Skip(commands.Count).Select(Done)]
            );
        }
        catch (Pipeline.Documents.ConcurrencyException e)
        {
            throw new ConcurrencyException(e.Message, e.Id, e);
        }
    }

    public async ValueTask<QueryReply> QueryAsync(RqlQuery query, CancellationToken cancellationToken)
    {
        try
        {
            var result = await database.QueryAsync(Request(query), cancellationToken).ConfigureAwait(false);
            return new QueryReply(
                [.. result.Items.Select(Data)],
                [.. result.Includes.Values.OfType<Document>().Select(Data)],
                new QueryStatistics(result.IndexName, result.Total, result.IsStale)
            );
        }
        catch (Exception e) when (e is InvalidQueryException or IndexNotFoundException)
        {
            throw new QueryException(e.Message, query.Text, e);
        }
    }

    public async IAsyncEnumerable<DocumentData> StreamAsync(
        RqlQuery query,
        [EnumeratorCancellation] CancellationToken cancellationToken
    )
    {
        var items = database.StreamQueryAsync(Request(query), cancellationToken).GetAsyncEnumerator(cancellationToken);
        await using var _ = items.ConfigureAwait(false);
        while (true)
        {
            try
            {
                if (!await items.MoveNextAsync().ConfigureAwait(false))
                    yield break;
            }
            catch (Exception e) when (e is InvalidQueryException or IndexNotFoundException)
            {
                throw new QueryException(e.Message, query.Text, e);
            }

            yield return Data(items.Current);
        }
    }

    public IBulkWriter OpenBulk() => new EmbeddedBulkWriter(database.BeginBulkInsert());

    public async ValueTask PutIndexAsync(IndexText index, CancellationToken cancellationToken)
    {
        try
        {
            await database
                .Indexes.PutAsync(
                    new IndexDefinition
                    {
                        Name = index.Name,
                        Maps = index.Maps,
                        Reduce = index.Reduce,
                        Fields = index.Fields.ToDictionary(
                            f => f.Key,
                            f => new IndexFieldDefinition
                            {
                                Indexing = IndexBody.IndexingOf(f.Value) is { } indexing
                                    ? Enum.Parse<TermForm>(indexing)
                                    : null,
                                Analyzer = f.Value.Analyzer,
                                Stored = f.Value.IsStored,
                                Boost = f.Value.Boost == 1 ? null : f.Value.Boost,
                            }
                        ),
                    },
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        catch (InvalidIndexException e)
        {
            throw new IndexException(e.Message, index.Name, e);
        }
    }

    public async ValueTask<IdRange> NextRangeAsync(string tag, long lastSize, CancellationToken cancellationToken)
    {
        var size = Math.Clamp(lastSize * 2, SmallestRange, LargestRange);
        var (prefix, low) = await database
            .WriteAsync(t => IdRanges.Take(t, tag, size), cancellationToken)
            .ConfigureAwait(false);
        return new IdRange(prefix ?? tag + "/", low, low + size - 1, "-A");
    }

    private static QueryRequest Request(RqlQuery query) =>
        new(query.Text)
        {
            Parameters = QueryParameters.Of(BinaryJson.Parse(query.Parameters.Span).Root),
            Skip = query.Skip,
            Take = query.Take,
            Wait = query.Wait > TimeSpan.Zero ? new IndexWait(query.Wait) : IndexWait.None,
        };

    private async ValueTask<IReadOnlyList<DocumentData>> LoadWithAsync(
        IReadOnlyList<string> ids,
        IReadOnlyList<string> includes,
        CancellationToken cancellationToken
    )
    {
        var parameters = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(parameters))
        {
            json.WriteStartObject();
            json.WriteStartArray("ids"u8);
            foreach (var id in ids)
                json.WriteStringValue(id);
            json.WriteEndArray();
            json.WriteEndObject();
        }

        var paths = string.Join(", ", includes.Select(Rql.Text));
        var answer = await QueryAsync(
                new RqlQuery($"from @all_docs where id() in ($ids) include {paths}", parameters.WrittenMemory),
                cancellationToken
            )
            .ConfigureAwait(false);
        return [.. answer.Items, .. answer.Includes];
    }

    /// <summary>A document as JSON.</summary>
    internal static DocumentData Data(Document document)
    {
        var target = Buffer();
        document.WriteJson(target, DocumentParts.Metadata);
        var metadataEnd = target.WrittenCount - 1;
        document.WriteJson(target, DocumentParts.Body);
        var body = target.WrittenSpan[(metadataEnd + 1)..];
        var isEmpty = body is [_, (byte)'}'];
        var json = new byte[isEmpty ? metadataEnd + 1 : metadataEnd + body.Length];
        target.WrittenSpan[..metadataEnd].CopyTo(json);
        json[metadataEnd] = isEmpty ? (byte)'}' : (byte)',';
        if (!isEmpty)
            body[1..].CopyTo(json.AsSpan(metadataEnd + 1));
        return DocumentData.Of(json, document.Id, metadataEnd);
    }

    private static DocumentData Data(QueryItem item)
    {
        var target = Buffer();
        item.WriteJson(target);
        return DocumentData.Parse(target.WrittenSpan.ToArray());
    }

    /// <summary>
    /// The thread's buffer, empty. A session keeps the text of each document, so the text gets an array of its size.
    /// </summary>
    private static ArrayBufferWriter<byte> Buffer()
    {
        if (t_buffer is null || t_buffer.Capacity > LargestBuffer)
            t_buffer = new ArrayBufferWriter<byte>(SmallestBuffer);
        t_buffer.ResetWrittenCount();
        return t_buffer;
    }
}
