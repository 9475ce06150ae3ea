using Pipeline.Etl.Configuration;
using Pipeline.Yaml;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Files;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Reads the files that <c>testFiles</c> names.</summary>
internal sealed class TestFiles(SettingsBinder binder)
{
    /// <summary>Adds the cases of each task's files to its <see cref="EtlTaskConfiguration.Tests"/>.</summary>
    public void Read(
        IReadOnlyList<EtlTaskConfiguration> tasks,
        string baseDirectory,
        Func<string, List<Diagnostic>, SettingsBinder> newBinder,
        List<Diagnostic> diagnostics,
        TestFileText? beside
    )
    {
        foreach (var task in tasks)
        {
            var list = binder.FindNode(task, "testFiles");
            List<(string Name, ConfigNode Place)> files =
            [
                .. task.TestFiles.Select(
                    (f, i) =>
                        (
                            f,
                            list is SequenceNode items && items.Items.Count == task.TestFiles.Count
                                ? items.Items[i]
                                : list ?? binder.NodeOf(task)
                        )
                ),
            ];
            if (
                task.Name == beside?.Task
                && !files.Exists(f => f.Name.Length > 0 && Path.GetFullPath(f.Name, baseDirectory) == beside.Path)
            )
            {
                files.Add((beside.Path, binder.NodeOf(task)));
            }

            foreach ((var file, var place) in files)
            {
                var path = Path.GetFullPath(file, baseDirectory);
                var isBeside = file.Length > 0 && path == beside?.Path;
                var unread = new List<Diagnostic>();
                if (file.Length > 0 && !isBeside && !ContainedPath.IsWithin(baseDirectory, path))
                {
                    // Faults quote the file's text. A stranger's file could otherwise show other files to everyone who
                    // sees its faults.
                    binder.Report(
                        place,
                        $"the test file '{file}' is outside the folder of this file",
                        "move it into that folder or one beneath"
                    );
                    continue;
                }

                var text =
                    file.Length == 0 ? null
                    : isBeside ? beside!.Text
                    : ConfigurationFile.Read(path, unread);
                if (isBeside && string.IsNullOrWhiteSpace(text))
                    continue;
                if (text is null)
                {
                    binder.Report(
                        place,
                        file.Length == 0
                            ? "a name in testFiles is empty"
                            : $"the test file '{file}': {unread[0].Message}",
                        "name a file of test cases; a relative path starts at this file's folder"
                    );
                    continue;
                }

                if (YamlNodeReader.Read(path, text, diagnostics) is not { } node)
                    continue;
                var reader = newBinder(path, diagnostics);
                if (reader.BindList<TestCaseConfiguration>(node) is not { } cases)
                    continue;
                new TestCaseCheck(reader).Check(task, cases);
                task.Tests = [.. task.Tests, .. cases];
            }
        }
    }
}
