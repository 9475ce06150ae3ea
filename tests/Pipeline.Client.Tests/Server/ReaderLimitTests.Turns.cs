using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Server;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <content>The turns that queries and streams take.</content>
public sealed partial class ReaderLimitTests
{
    [Fact]
    public async Task Queries_of_one_client_wait_for_each_other_and_not_for_those_of_others()
    {
        var turns = new QueryTurns(atOnce: 2, mostWaiting: 1, mostStreams: 1);
        var (one, other) = (ClientIdentity.Unknown("one"), ClientIdentity.Unknown("other"));
        var first = await turns.TakeAsync(one, CancellationToken.None);
        await turns.TakeAsync(one, CancellationToken.None);
        var third = turns.TakeAsync(one, CancellationToken.None).AsTask();
        Assert.False(third.IsCompleted);
        var refused = await Assert.ThrowsAsync<TooManyQueriesException>(() =>
            turns.TakeAsync(one, CancellationToken.None).AsTask()
        );
        Assert.Contains(
            "1 queries of this client wait already (ServerLimits.MaxWaitingQueries)",
            refused.Message,
            StringComparison.Ordinal
        );
        Assert.True(turns.TakeAsync(other, CancellationToken.None).AsTask().IsCompletedSuccessfully);

        using var stop = new CancellationTokenSource();
        first.Dispose();
        using var last = await third;
        var waiting = turns.TakeAsync(one, stop.Token).AsTask();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        last.Dispose();
        Assert.True(turns.TakeAsync(one, CancellationToken.None).AsTask().IsCompletedSuccessfully);
    }

    [Theory]
    [InlineData("/databases/db/streams/docs")]
    [InlineData("/databases/db/streams/queries?query=from%20Users")]
    public async Task Streams_of_a_client_are_limited_and_end_with_their_answer(string path)
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Limits = new ServerLimits { MaxClientStreams = 0 } }
        );
        await server.CreateDatabaseAsync("db");
        using var http = new HttpClient { BaseAddress = server.Url };
        using var refused = await http.GetAsync(path);
        await AssertRefusedAsync(refused, HttpStatusCode.TooManyRequests, "ServerLimits.MaxClientStreams");

        await using var other = await PipelineServer.StartAsync(
            new ServerOptions { Limits = new ServerLimits { MaxClientStreams = 1 } }
        );
        await other.CreateDatabaseAsync("db");
        using var another = new HttpClient { BaseAddress = other.Url };
        for (var times = 0; times < 3; times++)
            Assert.Contains("Results", await another.GetStringAsync(path), StringComparison.Ordinal);
    }

    [Fact]
    public void Bytes_that_nobody_has_read_are_few()
    {
        var sockets = _server.Services.GetRequiredService<IOptions<SocketTransportOptions>>().Value;
        var kestrel = _server.Services.GetRequiredService<IOptions<KestrelServerOptions>>().Value;
        Assert.InRange(sockets.MaxReadBufferSize ?? long.MaxValue, 0, 64 << 10);
        Assert.InRange(sockets.MaxWriteBufferSize ?? long.MaxValue, 0, 64 << 10);
        Assert.InRange(kestrel.Limits.MaxRequestBufferSize ?? long.MaxValue, 0, 64 << 10);
        Assert.InRange(kestrel.Limits.Http2.InitialConnectionWindowSize, 0, 128 << 10);
        Assert.InRange(kestrel.Limits.Http2.InitialStreamWindowSize, 0, 128 << 10);
    }

    [Theory]
    [InlineData("from Users")]
    [InlineData("from Users where Name = 'name-1'")]
    public async Task A_query_and_each_result_of_a_stream_take_a_turn_and_end_it(string query)
    {
        await PutUsersAsync(3);
        var database = _server.GetDatabase("db")!;
        var turn = new CountedTurn();
        var request = new QueryRequest(query) { Turn = turn.TakeAsync, Wait = new IndexWait(TimeSpan.FromMinutes(1)) };
        var count = (await database.QueryAsync(request)).Items.Count;
        Assert.Equal((2, 0), (turn.Taken, turn.Held));
        await foreach (var item in database.StreamQueryAsync(request))
            Assert.Equal(0, turn.Held);
        Assert.Equal((2 + 1 + count + 1, 0), (turn.Taken, turn.Held));
        await Assert.ThrowsAsync<InvalidQueryException>(() =>
            database.QueryAsync(request with { Text = "from Users where Name = $none" }).AsTask()
        );
        Assert.Equal(0, turn.Held);
    }

    private sealed class CountedTurn : IDisposable
    {
        public int Taken { get; private set; }

        public int Held { get; private set; }

        public ValueTask<IDisposable> TakeAsync(CancellationToken ct)
        {
            (Taken, Held) = (Taken + 1, Held + 1);
            return ValueTask.FromResult<IDisposable>(this);
        }

        public void Dispose() => Held--;
    }
}
