using Pipeline.Etl.DeadLetters;

namespace Pipeline.Worker.DeadLetters;

/// <summary>What a POST to <c>/deadletters/retry</c> and <c>/deadletters/drop</c> says.</summary>
/// <param name="Ids">Letters by id.</param>
/// <param name="Task">Those of one task.</param>
/// <param name="Query">Those that a query finds.</param>
/// <param name="All">All.</param>
/// <param name="WaitSeconds">How long to wait for retried letters.</param>
internal sealed record DeadLetterRequest(IReadOnlyList<string>? Ids, string? Task, string? Query, bool All, double WaitSeconds)
{
    /// <summary>As the desk takes it.</summary>
    public DeadLetterSelection ToSelection() => new() { Ids = Ids ?? [], Task = Task, Query = Query, All = All };

    /// <summary>What goes over HTTP for a selection.</summary>
    public static DeadLetterRequest Of(DeadLetterSelection selection, double waitSeconds) => new(selection.Ids, selection.Task, selection.Query, selection.All, waitSeconds);
}
