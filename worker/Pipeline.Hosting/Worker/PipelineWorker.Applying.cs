using Pipeline.Configuration;
using Pipeline.Configuration.Planning;
using Pipeline.Etl.Records;
using Pipeline.Etl.Runner;
using Pipeline.Yaml;

namespace Pipeline.Hosting;

public sealed partial class PipelineWorker
{
    private readonly SemaphoreSlim _applying = new(1, 1);

    /// <summary>
    /// Plans the changes that the current configuration file would make. Changes nothing and runs no command of the
    /// file.
    /// </summary>
    /// <param name="sample">How many real documents to try changed transforms on.</param>
    /// <param name="keeps">Tasks that stay registered though the file no longer has them; <c>*</c> for all.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ConfigurationException">The file or a transform has faults.</exception>
    /// <exception cref="WorkerException">The worker runs without a configuration file.</exception>
    public async Task<PipelineChangePlan> PlanAsync(
        int sample,
        IReadOnlyCollection<string> keeps,
        CancellationToken cancellationToken = default
    )
    {
        var (next, _) = await LoadAsync(runsCommands: false, cancellationToken).ConfigureAwait(false);
        return await Task.Run(() => Plan(next, sample, keeps, cancellationToken), cancellationToken)
            .ConfigureAwait(false);
    }

    /// <summary>Applies the current configuration file. Changed tasks are stopped and started from their positions.
    /// Removed tasks are stopped, and no tombstones are kept for them any more unless requested. All other tasks keep
    /// running. Changed backups follow their new schedule.</summary>
    /// <inheritdoc cref="PlanAsync"/>
    /// <param name="keeps">Tasks that stay registered though the file no longer has them; <c>*</c> for all.</param>
    /// <param name="cancellationToken">Ends it before anything has changed.</param>
    /// <returns>What was changed.</returns>
    public async Task<PipelineChangePlan> ApplyAsync(
        IReadOnlyCollection<string> keeps,
        CancellationToken cancellationToken = default
    )
    {
        await _applying.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed) != 0, this);
            var (next, tasks) = await LoadAsync(runsCommands: true, cancellationToken).ConfigureAwait(false);
            var plan = await Task.Run(() => Plan(next, 0, keeps, cancellationToken), cancellationToken)
                .ConfigureAwait(false);
            if (_cluster is not null && !_acts)
            {
                // It takes effect when this node leads; until then the leader's file counts.
                (_plan, Configuration) = (tasks, next);
                ApplyBackups(next, plan);
                return plan;
            }
            await EnsureAsync(next, cancellationToken).ConfigureAwait(false);
            _plan = tasks;
            await _etl.ApplyAsync(tasks, cancellationToken).ConfigureAwait(false);
            foreach (var task in plan.Tasks.Where(t => t.Kind == TaskChangeKind.Removed && !t.KeepsRegistration))
            {
                await Database
                    .Consumers.RemoveAsync(EtlTaskKeys.ConsumerName(task.Name), CancellationToken.None)
                    .ConfigureAwait(false);
                WorkerLog.TaskRemoved(_logger, task.Name, task.Position);
            }
            ApplyBackups(next, plan);
            foreach (var change in plan.NeedsRestart)
                WorkerLog.NeedsRestart(_logger, change.Path);
            Configuration = next;
            _consumers = NewConsumerHealth(next);
            return plan;
        }
        finally
        {
            _applying.Release();
        }
    }

    private void ApplyBackups(PipelineConfiguration next, PipelineChangePlan plan)
    {
        if (_options.Captures is not null || plan.Backups.All(b => b.Kind == "unchanged"))
            return;
        Backups.Apply(
            [.. next.Backups.Select(b => b.ToDefinition())],
            plan.Backups.Where(b => b.Kind == "unchanged").Select(b => b.Name).ToHashSet(StringComparer.Ordinal)
        );
        foreach (var change in plan.Backups.Where(b => b.Kind != "unchanged"))
            WorkerLog.BackupChanged(_logger, change.Name, change.Kind);
    }

    private ConsumerHealth NewConsumerHealth(PipelineConfiguration configuration) =>
        new(Database, Subscriptions, configuration) { Tasks = () => _etl.GetStatus() };

    private PipelineChangePlan Plan(
        PipelineConfiguration next,
        int sample,
        IReadOnlyCollection<string> keeps,
        CancellationToken cancellationToken
    ) =>
        new ChangePlanner(Database, Configuration, [.. Subscriptions.GetStatus().Select(s => s.Definition)]).Plan(
            next,
            sample,
            keeps,
            cancellationToken
        );

    private Task<(PipelineConfiguration Configuration, EtlPlan Tasks)> LoadAsync(
        bool runsCommands,
        CancellationToken cancellationToken
    ) =>
        Task.Run(
            () =>
            {
                if (!File.Exists(Configuration.File))
                {
                    throw new WorkerException(
                        $"the worker has no configuration file, or the file no longer exists: {Configuration.File}",
                        ExitCodes.Failed
                    );
                }

                var next = _options.Captures is { } captures
                    ? PipelineConfiguration.LoadForTestServer(Configuration.File, null, _options.Variables, captures)
                    : PipelineConfiguration.Load(Configuration.File, _options.Variables, runsCommands: runsCommands);
                return (next, next.CreatePlan(_options.Transforms));
            },
            cancellationToken
        );
}
