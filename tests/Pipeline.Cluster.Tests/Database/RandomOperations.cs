using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Json;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Database;

/// <summary>
/// A client that does operations of every kind at whichever node leads. It remembers the acknowledged state of the
/// documents, values and streams that only it writes, and checks it afterwards.
/// </summary>
internal sealed partial class RandomOperations(DatabaseCluster cluster, int client, int seed, CancellationToken ct)
{
    private readonly Random _random = new(seed);
    private readonly Dictionary<string, long?> _documents = [];
    private readonly Dictionary<string, (long Index, long Value)> _values = [];
    private readonly Dictionary<string, long> _sequences = [];
    private long _number;

    /// <summary>How often each kind was done.</summary>
    public SortedDictionary<string, int> Done { get; } = new(StringComparer.Ordinal);

    public async Task RunAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            var (kind, operation) = Draw();
            await operation();
            Done[kind] = Done.GetValueOrDefault(kind) + 1;
        }
    }

    /// <summary>Checks that a node has all acknowledged writes.</summary>
    public void Verify(DatabaseMember member)
    {
        using var snapshot = member.Database.OpenSnapshot();
        foreach (var (id, value) in _documents)
            Assert.Equal(value, ValueOf(snapshot.TryGet(id, out var document) ? document : null));
        foreach (var (key, value) in _values)
            Assert.Equal(value.Index, snapshot.GetCompareExchange(key)?.Index ?? 0);
        foreach (var (stream, sequence) in _sequences)
            Assert.Equal(sequence, snapshot.GetHighestSequence(stream));
    }

    private (string Kind, Func<Task> Operation) Draw() =>
        _random.Next(1000) switch
        {
            < 330 => ("put", PutAsync),
            < 400 => ("delete", DeleteAsync),
            < 450 => ("batch", BatchAsync),
            < 480 => ("identity", IdentityAsync),
            < 510 => ("hilo", HiLoAsync),
            < 560 => ("attachment", AttachAsync),
            < 575 => ("attachment delete", DetachAsync),
            < 580 => ("attachment upload", UploadAsync),
            < 680 => ("compare-exchange", ExchangeAsync),
            < 780 => ("events", AppendAsync),
            < 800 => ("stream snapshot", SnapshotAsync),
            < 810 => ("events delete", DeleteEventsAsync),
            < 850 => ("fed document", FeedAsync),
            < 890 => ("consumer", () => Do(m => m.Database.Consumers.SetAsync(Consumer(), ct))),
            < 905 => ("expiring put", ExpiringAsync),
            < 915 => ("expiration run", () => Do(m => m.Database.Expiration.RunAsync(ct))),
            < 920 => ("revisions configuration", ConfigureRevisionsAsync),
            < 924 => ("expiration configuration", ConfigureExpirationAsync),
            < 928 => ("revisions trim", () => Do(m => m.Database.Revisions.TrimAsync(ct))),
            < 940 => ("index put", IndexAsync),
            < 943 => ("index delete", () => Do(m => m.Database.Indexes.DeleteAsync($"i{client % 4}", ct))),
            < 947 => ("automatic index", QueryAsync),
            < 948 => ("lineage", LineageAsync),
            < 950 => ("compaction", () => Do(m => m.Database.Storage.CompactAsync(ct: ct))),
            < 952 => ("rekey", RekeyAsync),
            < 970 => ("seed identity", () => Do(m => m.Database.WriteAsync(t => t.SeedIdentity("seeds", 5), ct))),
            _ => ("read", ReadAsync),
        };

    private async Task PutAsync()
    {
        var (id, value) = (Id(), ++_number);
        await SetAsync(id, value, m => m.Database.PutAsync(id, Json(value), ct: ct));
    }

    private async Task DeleteAsync()
    {
        var id = Id();
        await SetAsync(id, null, m => m.Database.DeleteAsync(id, ct: ct));
    }

    private async Task BatchAsync()
    {
        var (id, value) = (Id(), ++_number);
        await SetAsync(
            id,
            value,
            m =>
                m.Database.WriteAsync(
                    t =>
                    {
                        t.Put($"batches/{client}", Json(value));
                        return t.Put(id, Json(value));
                    },
                    ct
                )
        );
    }

    /// <summary>A failed comparison must not come from a state that another leader has passed.</summary>
    private async Task ExchangeAsync()
    {
        var key = $"values/{client}/{_random.Next(4)}";
        var known = _values.GetValueOrDefault(key);
        var value = ++_number;
        var (result, isKnown) = await cluster.TryAsync(
            m =>
                m.Database.WriteAsync(
                    t => t.PutCompareExchange(key, BinaryJson.Parse(Encoding.UTF8.GetBytes($"{value}")), known.Index),
                    ct
                ),
            ct
        );
        if (isKnown)
        {
            Assert.True(result!.Successful, $"{key} was {known.Index}, and is {result.Index}");
            _values[key] = (result.Index, value);
            return;
        }
        var now = await cluster.DoAsync(m => m.Database.WriteAsync(t => t.GetCompareExchange(key), ct), ct);
        _values[key] = (now?.Index ?? 0, value);
    }

    private async Task AppendAsync()
    {
        var stream = $"stream-{client}-{_random.Next(3)}";
        var known = _sequences.GetValueOrDefault(stream);
        var given = new EventData { Payload = Json(++_number), Tags = ["t" + (client % 3)] };
        var (result, isKnown) = await cluster.TryAsync(
            m => m.Database.Events.AppendAsync(stream, [given], known, ct),
            ct
        );
        _sequences[stream] = isKnown
            ? known + 1
            : await cluster.DoAsync(m => m.Database.Events.GetHighestSequenceAsync(stream, ct), ct);
    }

    private Task SnapshotAsync()
    {
        var stream = $"stream-{client}-{_random.Next(3)}";
        var sequence = _sequences.GetValueOrDefault(stream);
        return sequence == 0
            ? Task.CompletedTask
            : Do(m =>
                m.Database.WriteAsync(
                    t =>
                        t.SaveSnapshot(
                            stream,
                            new StreamSnapshot
                            {
                                SequenceNumber = sequence,
                                Timestamp = DateTimeOffset.UnixEpoch,
                                Payload = "snapshot"u8.ToArray(),
                            }
                        ),
                    ct
                )
            );
    }

    private Task DeleteEventsAsync()
    {
        var stream = $"stream-{client}-{_random.Next(3)}";
        var through = _sequences.GetValueOrDefault(stream) - 5;
        return through <= 0 ? Task.CompletedTask : Do(m => m.Database.Events.DeleteAsync(stream, through, ct));
    }

    private Task IdentityAsync() => Do(m => m.Database.PutAsync($"numbers{client % 3}|", Json(++_number), ct: ct));

    private Task HiLoAsync() => Do(m => m.Database.WriteAsync(t => IdRanges.Take(t, $"tag{client % 3}", 32), ct));

    private Task AttachAsync() => AttachAsync(_random.Next(2000));

    private Task UploadAsync() => AttachAsync(AttachmentContentsBytes + _random.Next(300_000));

    private const int AttachmentContentsBytes = 512 * 1024;

    private async Task AttachAsync(int length)
    {
        var id = Id();
        var bytes = new byte[length];
        _random.NextBytes(bytes);
        try
        {
            await Do(m => m.Database.Attachments.PutAsync(id, $"a{_random.Next(3)}", new MemoryStream(bytes), ct: ct));
        }
        catch (AttachmentException) when (_documents.GetValueOrDefault(id) is null || length > AttachmentContentsBytes)
        {
            // There is no document, or another leader has dropped the upload.
            Done["attachment refused"] = Done.GetValueOrDefault("attachment refused") + 1;
        }
    }

    private async Task DetachAsync()
    {
        var id = Id();
        await Do(m => m.Database.Attachments.DeleteAsync(id, $"a{_random.Next(3)}", ct: ct));
    }

    /// <summary>A read at the leader, with its lease, sees all that was acknowledged.</summary>
    private async Task ReadAsync()
    {
        var id = Id();
        var value = await cluster.DoAsync(
            m =>
            {
                using var snapshot = m.Database.OpenNewestSnapshot();
                return Task.FromResult(ValueOf(snapshot.TryGet(id, out var document) ? document : null));
            },
            ct
        );
        if (_documents.TryGetValue(id, out var known))
            Assert.Equal(known, value);
    }

    private async Task SetAsync<T>(string id, long? value, Func<DatabaseMember, Task<T>> operation)
    {
        var (_, isKnown) = await cluster.TryAsync(operation, ct);
        var before = _documents.GetValueOrDefault(id);
        if (isKnown)
        {
            _documents[id] = value;
            return;
        }
        var now = await cluster.DoAsync(
            m => m.Database.WriteAsync(t => ValueOf(t.TryGet(id, out var document) ? document : null), ct),
            ct
        );
        Assert.True(now == value || now == before, $"{id} is {now}, not {before} or {value}");
        _documents[id] = now;
    }

    private async Task Do(Func<DatabaseMember, Task> operation) =>
        await cluster.DoAsync(
            async m =>
            {
                await operation(m);
                return true;
            },
            ct
        );

    private static long? ValueOf(Document? document) =>
        document is not null && document.Body.Root.TryGetProperty("N"u8, out var n) && n.TryGetInt64(out var value)
            ? value
            : null;

    private string Id() => $"things/{client}/{_random.Next(40)}";

    private byte[] Json(long value, string collection = "Things") =>
        Encoding.UTF8.GetBytes(
            $$"""{"N":{{value}},"Text":"{{new string((char)('a' + (value % 26)), _random.Next(200))}}","@metadata":{"@collection":"{{collection}}"} }"""
        );
}
