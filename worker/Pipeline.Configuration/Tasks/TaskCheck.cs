using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Subscriptions;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks what types alone cannot express about <c>etl</c>.</summary>
internal sealed class TaskCheck(SettingsBinder binder)
{
    /// <summary>Checks the tasks and their destinations.</summary>
    /// <param name="tasks">The tasks.</param>
    /// <param name="connections">The connections without faults.</param>
    /// <param name="connectionNames">The names of all connections, those with faults among them.</param>
    public void Check(
        IReadOnlyList<EtlTaskConfiguration> tasks,
        IReadOnlyDictionary<string, ConnectionConfiguration> connections,
        IReadOnlyCollection<string> connectionNames
    )
    {
        // Dead letters' ids, Kafka's transactional ids and file names may ignore case.
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (var task in tasks)
        {
            if (binder.FindNode(task, "name") is ScalarNode { IsNull: false } name && !binder.HasFaultAt(name))
            {
                binder.CheckName(name, "a task's name", task.Name);
                binder.CheckUnique(lines, name, "the task", task.Name);
            }

            if (task.To.Length > 0 && !connectionNames.Contains(task.To))
            {
                var suggestion =
                    connectionNames.Count == 0
                        ? "add it under 'connections'"
                        : Spelling.Suggest(task.To, connectionNames)!;
                binder.ReportAt(task, "to", $"there is no connection '{task.To}'", suggestion);
            }

            CheckFrom(task);
            CheckDestinations(task, connections);
            if (
                binder.FindNode(task, "transform") is ScalarNode
                && string.IsNullOrWhiteSpace(task.Transform.Text)
                && task.Transform.File.Length > 0
            )
            {
                ReportEmptyTransform(task);
            }

            if (binder.FindNode(task, "class") is { } named)
            {
                task.ClassPlace = (binder.File, named.Line, named.Column);
            }
            else if (binder.FindNode(task, "transform") is null && task.Name.Length > 0)
            {
                binder.ReportAt(
                    task,
                    "name",
                    $"the task '{task.Name}' has no transform",
                    "add 'transform' with C# statements that call send(destination, body), or 'class' with the name of a class"
                );
            }

            var testFiles = binder.FindNode(task, "testFiles") as SequenceNode;
            for (var i = 0; i < task.TestFiles.Count; i++)
                binder.CheckPath(testFiles?.Items.ElementAtOrDefault(i), $"testFiles[{i}]", task.TestFiles[i]);
            new TestCaseCheck(binder).Check(task);
            if (task.LagPolicy?.Problem() is { } lag)
            {
                binder.ReportAt(
                    task,
                    task.MaxLag is null ? "then" : "maxLag",
                    lag,
                    task.MaxLag is null ? "add 'maxLag: 7d', or leave 'then' out" : null
                );
            }

            if (task.Batch.MinDocuments > task.Batch.MaxDocuments)
                CheckOrder(task, "batch", task.Batch, "minDocuments", "maxDocuments");
            if (task.Retry.InitialDelay > task.Retry.MaxDelay)
                CheckOrder(task, "retry", task.Retry, "initialDelay", "maxDelay");
        }
    }

    private void CheckFrom(EtlTaskConfiguration task)
    {
        if (binder.FindNode(task, "from") is not SequenceNode from)
        {
            if (binder.FindNode(task, "from") is ScalarNode { IsNull: true } nothing)
                binder.Report(nothing, "from names no collection", "name some, or [@all_docs]");
            return;
        }

        if (from.Items.Count == 0)
            binder.Report(from, "from names no collection", "name some, or [@all_docs]");
        if (task.From.Count > 1 && task.From.Contains(EtlTaskConfiguration.AllDocuments))
        {
            binder.Report(
                from,
                $"'{EtlTaskConfiguration.AllDocuments}' stands for every collection",
                "name it alone, or name collections only"
            );
        }

        if (task.From.Any(string.IsNullOrWhiteSpace))
            binder.Report(from, "from has an empty name", "name collections, or [@all_docs]");
        // A dead letter that fails would make the next one, for ever.
        if (task.From.Contains(DeadLetter.Collection, StringComparer.OrdinalIgnoreCase))
        {
            binder.Report(
                from,
                $"a task cannot read '{DeadLetter.Collection}', because its own failures go there",
                "export that collection instead"
            );
        }

        foreach (
            var name in task.From.Where(n => n != EtlTaskConfiguration.AllDocuments && Document.IsSystemCollection(n))
        )
        {
            binder.Report(
                from,
                $"'{name}' is not a collection that a task can read",
                $"name collections, or [{EtlTaskConfiguration.AllDocuments}]"
            );
        }
    }

    private void CheckDestinations(
        EtlTaskConfiguration task,
        IReadOnlyDictionary<string, ConnectionConfiguration> connections
    )
    {
        if (task.DeleteAfterSend && (task.Deletes || task.OnDelete != DeletePolicy.Nothing))
        {
            binder.ReportAt(
                task,
                "deleteAfterSend",
                "deleteAfterSend and onDelete cannot be combined: the task would receive its own deletions",
                "leave one of them out"
            );
        }

        if (task.DeleteAfterSend && task.DependsOn != DependencyPolicy.Nothing)
        {
            binder.ReportAt(
                task,
                "dependsOn",
                "dependsOn and deleteAfterSend cannot be combined: a document that was sent and deleted cannot be sent again",
                "leave one of them out"
            );
        }

        if (task.DependsOn == DependencyPolicy.Load && task.Parallel > 1)
        {
            binder.ReportAt(
                task,
                "parallel",
                "parallel and 'dependsOn: load' cannot be combined: loaded documents are tracked one document at a time",
                "leave one of them out"
            );
        }

        if (connections.GetValueOrDefault(task.To) is not { } connection)
            return;
        var known = connection.Definition.DestinationOptions(connection.Options);
        var keys = binder.FindNode(task, "destinations") as MappingNode;
        foreach ((var name, var destination) in task.Destinations)
        {
            if (connection.FindNameFault(name) is { } fault)
                binder.Report(keys?.FindKey(name) ?? binder.NodeOf(task), fault, null);
            foreach (var option in destination.Given.Where(o => !known.Contains(o)))
            {
                binder.ReportAt(
                    destination,
                    option,
                    $"'{connection.Name}' ({connection.Definition.Kind}) does not support '{option}', which destination '{name}' sets",
                    known.Count == 0 ? "leave it out" : $"it can do: {string.Join(", ", known)}"
                );
            }

            foreach (
                (var option, var message) in connection
                    .Definition.ValidateDestination(destination)
                    .Where(f => known.Contains(f.Key))
            )
            {
                binder.ReportAt(destination, option, $"destination '{name}': {message}", null);
            }
        }
    }

    private void ReportEmptyTransform(EtlTaskConfiguration task)
    {
        var node = (ScalarNode)binder.FindNode(task, "transform")!;
        if (!node.IsNull && !node.IsFolded)
        {
            binder.Report(
                node,
                $"the transform of '{task.Name}' is empty",
                "write C# statements that call send(destination, body)"
            );
        }
    }

    private void CheckOrder(EtlTaskConfiguration task, string block, object options, string low, string high)
    {
        if (binder.FindNode(task, block) is MappingNode)
            binder.ReportAt(options, low, $"{block}.{low} is greater than {block}.{high}", null);
    }
}
