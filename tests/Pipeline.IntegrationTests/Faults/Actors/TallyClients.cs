using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace Pipeline.IntegrationTests.Faults.Actors;

/// <summary>A request that was answered.</summary>
/// <param name="Tally">The entity.</param>
/// <param name="Request">The request.</param>
/// <param name="Number">The number of its event, as the client was told.</param>
/// <param name="Asked">When it was sent, as a timestamp.</param>
/// <param name="Answered">When the answer came, as a timestamp.</param>
internal sealed record Answer(int Tally, string Request, long Number, long Asked, long Answered);

/// <summary>
/// One client for each tally. It sends one request after the other to each node in turn, and never the same one twice.
/// </summary>
internal sealed class TallyClients : IDisposable
{
    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(150);
    private readonly IReadOnlyList<Uri> _doors;
    private readonly HttpClient _http = new(new SocketsHttpHandler { UseProxy = false })
    {
        Timeout = TimeSpan.FromSeconds(3),
    };

    public TallyClients(IReadOnlyList<Uri> doors) => _doors = doors;

    /// <summary>How many tallies there are.</summary>
    public const int Count = 50;

    /// <summary>All requests that were answered.</summary>
    public ConcurrentQueue<Answer> Answers { get; } = new();

    /// <summary>Sends requests until it is told to stop.</summary>
    public Task RunAsync(CancellationToken stop) =>
        Task.WhenAll(Enumerable.Range(0, Count).Select(t => Task.Run(() => RunAsync(t, stop), CancellationToken.None)));

    /// <summary>Waits until each tally has answered a request that was sent from now on.</summary>
    /// <returns>For how long each tally did not answer, or null if one never did.</returns>
    public async Task<IReadOnlyList<TimeSpan>?> WaitForAllAsync(long since, TimeSpan most)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            var first = Answers.Where(a => a.Asked > since).GroupBy(a => a.Tally).Select(g => g.Min(a => a.Answered));
            List<TimeSpan> times = [.. first.Select(f => Stopwatch.GetElapsedTime(since, f))];
            if (times.Count == Count)
                return times;
            if (Stopwatch.GetElapsedTime(began) > most)
                return null;
            await Task.Delay(50);
        }
    }

    public void Dispose() => _http.Dispose();

    private async Task RunAsync(int tally, CancellationToken stop)
    {
        var at = tally;
        for (var i = 0; !stop.IsCancellationRequested; i++)
        {
            var request = string.Create(CultureInfo.InvariantCulture, $"{tally}-{i}");
            var asked = Stopwatch.GetTimestamp();
            try
            {
                var number = await _http.GetStringAsync(
                    new Uri(_doors[at % _doors.Count], $"?tally={tally}&request={request}"),
                    CancellationToken.None
                );
                Answers.Enqueue(
                    new Answer(
                        tally,
                        request,
                        long.Parse(number, CultureInfo.InvariantCulture),
                        asked,
                        Stopwatch.GetTimestamp()
                    )
                );
            }
            catch (Exception e) when (e is HttpRequestException or TaskCanceledException or IOException)
            {
                at++; // another node, perhaps
            }
            at += i % 10 == 0 ? 1 : 0;
            await Task.Delay(Rest, CancellationToken.None);
        }
    }
}
