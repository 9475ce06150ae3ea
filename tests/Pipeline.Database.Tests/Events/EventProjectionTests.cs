using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Xunit;

namespace Pipeline.Database.Tests.Events;

public sealed class EventProjectionTests
{
    [Fact]
    public async Task Each_event_has_its_effect_once_whatever_fails_between()
    {
        await using var db = TestDatabase.Open();
        for (var i = 1; i <= 300; i++)
            await db.Events.AppendAsync($"s{i % 3}", [Event(i, i % 2 == 0 ? ["even"] : [])]);
        var fail = 700;
        var projection = new EventProjection(db, "count", Apply, EventFilter.WithTag("even"));
        var e = await Assert.ThrowsAsync<EventProjectionException>(() => Until(t => t == 100));
        Assert.Equal((100, "no"), (e.Position, e.InnerException!.Message));
        Assert.Equal(0, projection.Position);
        fail = 0;
        Assert.Equal(150, await projection.RunAsync(untilCurrent: true));
        for (var i = 301; i <= 310; i++)
            await db.Events.AppendAsync("s0", [Event(i, ["even"])]);
        Assert.Equal(
            10,
            await new EventProjection(db, "count", Apply, EventFilter.WithTag("even")).RunAsync(untilCurrent: true)
        );
        Assert.Equal(0, await projection.RunAsync(untilCurrent: true));
        using var snapshot = db.OpenSnapshot();
        Assert.True(snapshot.TryGet("total", out var total));
        Assert.Equal(
            $"{Enumerable.Range(1, 150).Sum(i => 2 * i) + Enumerable.Range(301, 10).Sum()}",
            total.Body.Root["N"].ToString()
        );

        Task<long> Until(Func<long, bool> condition)
        {
            fail = (int)Enumerable.Range(1, 300).First(i => condition(i));
            return projection.RunAsync(untilCurrent: true);
        }

        void Apply(DocumentTransaction t, StoredEvent item)
        {
            var n = long.Parse(
                Encoding.UTF8.GetString(item.Payload.Span),
                System.Globalization.CultureInfo.InvariantCulture
            );
            if (n == fail)
                throw new InvalidOperationException("no");
            var sum = t.TryGet("total", out var total)
                ? long.Parse(total.Body.Root["N"].ToString()!, System.Globalization.CultureInfo.InvariantCulture)
                : 0;
            t.Put("total", Encoding.UTF8.GetBytes($$"""{"N":{{sum + n}}}"""));
        }
    }

    private static EventData Event(int n, string[] tags) =>
        new() { Payload = Encoding.UTF8.GetBytes($"{n}"), Tags = tags };
}
