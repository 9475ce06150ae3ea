using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Runner.Settings;

namespace Pipeline.Hosting;

/// <summary>
/// What a backup can bring back. <c>GET /backups/NAME/points</c>: the stored backups with their positions.
/// <c>…/preview?position=</c> or <c>?time=</c>: what the database would lose. <c>…/document?id=&amp;position=</c>: a
/// document as of a position; it is read from a scratch copy, and nothing is stored. Each takes <c>destination=</c>,
/// the number of a destination from 1; without it, the first one that can be opened counts.
/// </summary>
internal static class BackupPointEndpoint
{
    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, PipelineWorker worker, BackupService backups)
    {
        Get(
            application,
            backups,
            "points",
            PointsAsync,
            ifEmpty: new { damaged = Array.Empty<string>(), backups = Array.Empty<object>() }
        );
        Get(
            application,
            backups,
            "preview",
            async (context, repository, ct) =>
            {
                var reached = await new BackupRestorer(repository, backups.Time)
                    .FindAsync(PointOf(context), ct)
                    .ConfigureAwait(false);
                return new { reached, preview = RestorePreview.Of(worker.Database, reached.Position, ct) };
            }
        );
        Get(
            application,
            backups,
            "document",
            (context, repository, ct) =>
                DocumentAsync(worker, repository, AdminAnswer.Required(context, "id", "orders/1"), PointOf(context), ct)
        );
    }

    private static void Get(
        IEndpointRouteBuilder application,
        BackupService backups,
        string path,
        Func<HttpContext, BackupRepository, CancellationToken, Task<object>> answer,
        object? ifEmpty = null
    ) =>
        application.MapGet(
            "/backups/{name}/" + path,
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var name = (string)context.Request.RouteValues["name"]!;
                        var repository = await OpenAsync(context, backups, name, ct).ConfigureAwait(false);
                        if (repository is null)
                        {
                            return ifEmpty
                                ?? throw new BackupException($"backup '{name}' has nothing stored yet: run it.");
                        }

                        await using var closing = repository.ConfigureAwait(false);
                        return await answer(context, repository, ct).ConfigureAwait(false);
                    }
                )
        );

    private static async Task<object> PointsAsync(HttpContext _, BackupRepository repository, CancellationToken ct)
    {
        var damaged = new List<string>();
        var all = await repository.ListAsync(d => damaged.Add(d.Message), ct).ConfigureAwait(false);
        var verified = await repository.VerificationsAsync(ct).ConfigureAwait(false);
        return new
        {
            destination = repository.Destination.Description,
            damaged,
            backups = all.Select(b => new
            {
                id = b.Id,
                kind = b.Kind.ToString(),
                parent = b.Parent,
                from = b.Kind == BackupKind.Full ? b.To : b.From,
                to = b.To,
                contentBytes = b.ContentBytes,
                storedBytes = b.StoredBytes,
                documents = b.DocumentCount,
                started = b.Started,
                ended = b.Ended,
                verified = verified.GetValueOrDefault(b.Id),
            }),
        };
    }

    private static async Task<object> DocumentAsync(
        PipelineWorker worker,
        BackupRepository repository,
        string id,
        RestorePoint point,
        CancellationToken ct
    )
    {
        using var scratch = new ScratchStore("restore", StorageSettings.Of(worker.Configuration, null));
        var report = await new BackupRestorer(repository, worker.Backups.Time)
            .RestoreAsync(point, scratch.Options, null, ct)
            .ConfigureAwait(false);
        var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "restored",
                Path = scratch.Folder,
                Storage = scratch.Options,
                Indexing = new IndexingOptions { Enabled = false },
            }
        );
        await using var closing = database.ConfigureAwait(false);
        using var snapshot = database.OpenSnapshot("restore of a document");
        return new
        {
            id,
            position = report.Reached.Position,
            time = report.Reached.Time,
            backups = report.Backups,
            document = snapshot.TryGet(id, out var found) ? found.ToString() : null,
        };
    }

    /// <summary>The first destination that can be opened; null if nothing is stored.</summary>
    private static async Task<BackupRepository?> OpenAsync(
        HttpContext context,
        BackupService backups,
        string name,
        CancellationToken ct
    )
    {
        var definition =
            backups.Definitions.FirstOrDefault(d => d.Name == name)
            ?? throw new WorkerException(
                $"there is no backup '{name}'; there are: {string.Join(", ", backups.Definitions.Select(d => d.Name))}",
                ExitCodes.Usage
            );
        if (context.Request.Query["destination"].ToString() is { Length: > 0 } text)
        {
            var isNumber = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number);
            if (!isNumber || number < 1 || number > definition.Destinations.Count)
            {
                throw new WorkerException(
                    $"destination is '{text}'; backup '{name}' has {definition.Destinations.Count}",
                    ExitCodes.Usage
                );
            }

            definition = definition with { Destinations = [definition.Destinations[number - 1]] };
        }

        var opened = await RepositoryAccess
            .OpenAsync(definition, new BackupRunnerOptions { Time = backups.Time }, create: false, ct)
            .ConfigureAwait(false);
        BackupRepository? chosen = null;
        foreach (var (_, repository, _) in opened)
        {
            if (chosen is null)
                chosen = repository;
            else if (repository is not null)
                await repository.DisposeAsync().ConfigureAwait(false);
        }

        return chosen is null && opened.Select(o => o.Error).FirstOrDefault(e => e is not null) is { } error
            ? throw new BackupException(error.Message)
            : chosen;
    }

    private static RestorePoint PointOf(HttpContext context)
    {
        var query = context.Request.Query;
        if (query["position"].ToString() is { Length: > 0 } position)
        {
            return long.TryParse(position, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                ? new RestorePoint { Position = number }
                : throw new WorkerException($"position is '{position}'; it must be a whole number", ExitCodes.Usage);
        }

        if (query["time"].ToString() is not { Length: > 0 } time)
            return new RestorePoint();
        return DateTimeOffset.TryParse(
            time,
            CultureInfo.InvariantCulture,
            DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal,
            out var at
        )
            ? new RestorePoint { Time = at }
            : throw new WorkerException($"time is '{time}'; write it as 2026-11-20T12:00:00Z", ExitCodes.Usage);
    }
}
