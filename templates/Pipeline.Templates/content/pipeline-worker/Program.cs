using Pipeline.Hosting;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);

// Opens the database and runs the tasks of pipeline.yaml until the host stops.
builder.Services.AddPipeline("pipeline.yaml");

await builder.Build().RunAsync();
