using Pipeline.Etl.DeadLetters;

namespace Pipeline.Hosting.DeadLetters;

/// <summary>The body of a POST to <c>/deadletters/retry</c> and <c>/deadletters/drop</c>.</summary>
/// <param name="Ids">Letters by id.</param>
/// <param name="Task">All letters of this task.</param>
/// <param name="Query">All letters that this query finds.</param>
/// <param name="All">All letters.</param>
/// <param name="WaitSeconds">How long to wait for retried letters.</param>
internal sealed record DeadLetterRequest(
    IReadOnlyList<string>? Ids,
    string? Task,
    string? Query,
    bool All,
    double WaitSeconds
)
{
    /// <summary>Only letters of this group.</summary>
    public string? Group { get; init; }

    /// <summary>The selection.</summary>
    public DeadLetterSelection ToSelection() =>
        new()
        {
            Ids = Ids ?? [],
            Task = Task,
            Query = Query,
            All = All || (Group is not null && Task is null && Query is null && Ids is not { Count: > 0 }),
        };

    /// <summary>Creates the body for a selection.</summary>
    public static DeadLetterRequest Of(DeadLetterSelection selection, double waitSeconds) =>
        new(selection.Ids, selection.Task, selection.Query, selection.All, waitSeconds);
}

/// <summary>A list of dead letters.</summary>
/// <param name="Total">The number of all letters.</param>
/// <param name="Letters">The first ones.</param>
internal sealed record DeadLetterPage(int Total, IReadOnlyList<DeadLetterView> Letters);
