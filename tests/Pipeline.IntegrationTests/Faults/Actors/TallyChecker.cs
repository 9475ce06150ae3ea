namespace Pipeline.IntegrationTests.Faults.Actors;

/// <summary>An event of a tally, as the database has it.</summary>
/// <param name="Tally">The entity.</param>
/// <param name="Number">Its number.</param>
/// <param name="Request">The request.</param>
/// <param name="Run">The start of the actor that wrote it.</param>
internal sealed record Written(int Tally, long Number, string Request, string Run);

/// <summary>Compares what clients were told with the events.</summary>
internal static class TallyChecker
{
    /// <summary>
    /// Numbers have no gap and no double. Each request counts once at most, and an answered one exactly once, at the
    /// number that the client was told. An actor that wrote after another one of its tally writes nothing any more.
    /// </summary>
    /// <param name="answers">What clients were told.</param>
    /// <param name="events">All events, in any order.</param>
    /// <returns>What is wrong.</returns>
    public static IReadOnlyList<string> Check(IEnumerable<Answer> answers, IEnumerable<Written> events)
    {
        var faults = new List<string>();
        var written = events.ToLookup(e => e.Tally);
        foreach (var own in written)
        {
            var ordered = own.OrderBy(e => e.Number).ToList();
            for (var i = 0; i < ordered.Count; i++)
            {
                if (ordered[i].Number != i + 1)
                {
                    faults.Add($"tally {own.Key}: event {i + 1} is missing or there twice: {ordered[i]}");
                    break;
                }
            }
            faults.AddRange(
                ordered
                    .GroupBy(e => e.Request)
                    .Where(g => g.Count() > 1)
                    .Select(g => $"tally {own.Key}: request {g.Key} counts {g.Count()} times")
            );
            var ended = new HashSet<string>();
            for (var i = 1; i < ordered.Count; i++)
            {
                if (ordered[i].Run == ordered[i - 1].Run)
                    continue;
                ended.Add(ordered[i - 1].Run);
                if (ended.Contains(ordered[i].Run))
                    faults.Add($"tally {own.Key}: two actors wrote in turns, at event {ordered[i].Number}");
            }
        }
        foreach (var answer in answers)
        {
            var found = written[answer.Tally].FirstOrDefault(e => e.Number == answer.Number);
            if (found?.Request != answer.Request)
            {
                faults.Add(
                    $"tally {answer.Tally}: request {answer.Request} was answered as {answer.Number}, which is {found?.Request ?? "not there"}"
                );
            }
        }
        return faults;
    }
}
